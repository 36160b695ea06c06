package wire

import "encoding/binary"

// Response is an HTTP response. After Decode its fields are views into the
// message: valid as long as the message's bytes are, nil where a slot is empty.
type Response struct {
	Status        uint16 // 100 to 599
	Reason, Proto []byte
	Headers       []byte // compact JSON; read it with Headers and Cursor
	Body          []byte
	Trailer       []byte // as Headers
}

const (
	minStatus = 100
	maxStatus = 599
)

// Decode reads a response message, without its length prefix. It checks the
// header, the status, every slot and the characters of reason and proto.
// Headers and Trailer are checked when a Cursor reads them. It allocates
// nothing but an *Error; after an error the fields are not to be used.
func (r *Response) Decode(message []byte) error {
	return r.decode(message, TypeResponse)
}

// DecodeHead reads a response head, the first message of a streamed response.
func (r *Response) DecodeHead(message []byte) error {
	return r.decode(message, TypeResponseHead)
}

func (r *Response) decode(message []byte, t Type) error {
	position, err := Open(message, t, fixedBytes)
	if err != nil {
		return err
	}
	root := uint64(position)
	fixed := message[position:][:fixedBytes]
	// The status with the six bytes after it, which must be zero.
	status := binary.LittleEndian.Uint64(fixed)
	if status-minStatus > maxStatus-minStatus {
		return fault("response status", position, BadStatus)
	}
	r.Status = uint16(status)
	var ok bool
	floor := root + fixedBytes
	if r.Reason, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[8:]), root+8, floor); !ok {
		return SlotFault(message, "response reason", root+8)
	}
	if !phrase(r.Reason) {
		return fault("response reason", position+8, BadCharacter)
	}
	if r.Proto, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[16:]), root+16, floor); !ok {
		return SlotFault(message, "response proto", root+16)
	}
	if !protocol(r.Proto) {
		return fault("response proto", position+16, BadCharacter)
	}
	if r.Headers, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[24:]), root+24, floor); !ok {
		return SlotFault(message, "response headers", root+24)
	}
	if r.Body, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[32:]), root+32, floor); !ok {
		return SlotFault(message, "response body", root+32)
	}
	if r.Trailer, _, ok = slot(message, binary.LittleEndian.Uint64(fixed[40:]), root+40, floor); !ok {
		return SlotFault(message, "response trailer", root+40)
	}
	return nil
}

// AppendResponse appends the message of a response, without a length prefix.
// The response's fields must not lie in dst's spare capacity. Headers and
// Trailer are taken as AppendHeaders made them. On an error dst is given back
// as it was.
func AppendResponse(dst []byte, r *Response) ([]byte, error) {
	return appendResponse(dst, r, TypeResponse, 0)
}

// AppendFramedResponse appends the length prefix and the message.
func AppendFramedResponse(dst []byte, r *Response) ([]byte, error) {
	return appendResponse(dst, r, TypeResponse, PrefixBytes)
}

// AppendResponseHead appends the first message of a streamed response, without
// a length prefix.
func AppendResponseHead(dst []byte, r *Response) ([]byte, error) {
	return appendResponse(dst, r, TypeResponseHead, 0)
}

func appendResponse(dst []byte, r *Response, t Type, prefix int) ([]byte, error) {
	total := HeaderBytes + fixedBytes + uint64(len(r.Reason)) + uint64(len(r.Proto)) +
		uint64(len(r.Headers)) + uint64(len(r.Body)) + uint64(len(r.Trailer))
	if total > MaxMessageBytes {
		return dst, fault("response", 0, TooLong)
	}
	if r.Status-minStatus > maxStatus-minStatus {
		return dst, fault("response status", 16, BadStatus)
	}
	if !phrase(r.Reason) {
		return dst, fault("response reason", 24, BadCharacter)
	}
	if !protocol(r.Proto) {
		return dst, fault("response proto", 32, BadCharacter)
	}
	before := len(dst)
	grown := extend(dst, prefix+int(total))
	if prefix != 0 {
		binary.BigEndian.PutUint32(grown[before:], uint32(total))
	}
	b := grown[before+prefix:]
	putHeader(b, t, total)
	binary.LittleEndian.PutUint64(b[16:], 0)
	binary.LittleEndian.PutUint16(b[16:], r.Status)
	tail := putSlot(b, 24, HeaderBytes+fixedBytes, uint64(len(r.Reason)))
	copy(b[HeaderBytes+fixedBytes:], r.Reason)
	at := tail
	tail = putSlot(b, 32, at, uint64(len(r.Proto)))
	copy(b[at:], r.Proto)
	putRest(b, tail, r.Headers, r.Body, r.Trailer)
	return grown, nil
}
