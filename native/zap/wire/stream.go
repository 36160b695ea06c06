package wire

import "encoding/binary"

// AppendData appends a message with a piece of a streamed body, without a
// length prefix.
func AppendData(dst, piece []byte) ([]byte, error) {
	return appendSingle(dst, TypeData, "data", piece)
}

// AppendEnd appends the message that ends a streamed body, without a length
// prefix; trailer is compact JSON as AppendHeaders makes it, or empty.
func AppendEnd(dst, trailer []byte) ([]byte, error) {
	return appendSingle(dst, TypeEnd, "end", trailer)
}

// Data gives the piece of the body that a data message carries, a view.
func Data(message []byte) ([]byte, error) { return single(message, TypeData, "data") }

// End gives the trailer of an end message, a view.
func End(message []byte) ([]byte, error) { return single(message, TypeEnd, "end trailer") }

func appendSingle(dst []byte, t Type, field string, content []byte) ([]byte, error) {
	total := HeaderBytes + slotBytes + uint64(len(content))
	if total > MaxMessageBytes {
		return dst, fault(field, 0, TooLong)
	}
	before := len(dst)
	dst = extend(dst, int(total))
	b := dst[before:]
	putHeader(b, t, total)
	putSlot(b, HeaderBytes, HeaderBytes+slotBytes, uint64(len(content)))
	copy(b[HeaderBytes+slotBytes:], content)
	return dst, nil
}

func single(message []byte, t Type, field string) ([]byte, error) {
	position, err := Open(message, t, slotBytes)
	if err != nil {
		return nil, err
	}
	root := uint64(position)
	view, _, ok := slot(message, binary.LittleEndian.Uint64(message[position:]), root, root+slotBytes)
	if !ok {
		return nil, SlotFault(message, field, root)
	}
	return view, nil
}
