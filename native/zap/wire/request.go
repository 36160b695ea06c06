package wire

import (
	"encoding/binary"
	"slices"
)

// Request is an HTTP request. After Decode its fields are views into the
// message: valid as long as the message's bytes are, nil where a slot is empty.
type Request struct {
	Method, Target, Proto []byte
	Headers               []byte // compact JSON; read it with Headers and Cursor
	Body                  []byte
	Trailer               []byte // as Headers
}

// Decode reads a request message, without its length prefix. It checks the
// header, every slot and the characters of method, target and proto; method
// and target must not be empty. Headers and Trailer are checked when a Cursor
// reads them. It allocates nothing but an *Error; after an error the fields
// are not to be used.
func (r *Request) Decode(message []byte) error {
	position, err := Open(message, TypeRequest, fixedBytes)
	if err != nil {
		return err
	}
	root := uint64(position)
	fixed := message[position:][:fixedBytes]
	var ok bool
	floor := root + fixedBytes
	if r.Method, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed), root, floor); !ok {
		return SlotFault(message, "request method", root)
	}
	if !visible(message, floor, uint64(len(r.Method))) || len(r.Method) == 0 {
		return textFault(r.Method, "request method", root)
	}
	if r.Target, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[8:]), root+8, floor); !ok {
		return SlotFault(message, "request target", root+8)
	}
	if !visible(message, floor, uint64(len(r.Target))) || len(r.Target) == 0 {
		return textFault(r.Target, "request target", root+8)
	}
	if r.Proto, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[16:]), root+16, floor); !ok {
		return SlotFault(message, "request proto", root+16)
	}
	if !visible(message, floor, uint64(len(r.Proto))) {
		return textFault(r.Proto, "request proto", root+16)
	}
	if r.Headers, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[24:]), root+24, floor); !ok {
		return SlotFault(message, "request headers", root+24)
	}
	if r.Body, floor, ok = slot(message, binary.LittleEndian.Uint64(fixed[32:]), root+32, floor); !ok {
		return SlotFault(message, "request body", root+32)
	}
	if r.Trailer, _, ok = slot(message, binary.LittleEndian.Uint64(fixed[40:]), root+40, floor); !ok {
		return SlotFault(message, "request trailer", root+40)
	}
	return nil
}

// AppendRequest appends the message of a request, without a length prefix. The
// request's fields must not lie in dst's spare capacity. Headers and Trailer
// are taken as AppendHeaders made them. On an error dst is given back as it was.
func AppendRequest(dst []byte, r *Request) ([]byte, error) {
	return appendRequest(dst, r, 0)
}

// AppendFramedRequest appends the length prefix and the message.
func AppendFramedRequest(dst []byte, r *Request) ([]byte, error) {
	return appendRequest(dst, r, PrefixBytes)
}

func appendRequest(dst []byte, r *Request, prefix int) ([]byte, error) {
	total := HeaderBytes + fixedBytes + uint64(len(r.Method)) + uint64(len(r.Target)) + uint64(len(r.Proto)) +
		uint64(len(r.Headers)) + uint64(len(r.Body)) + uint64(len(r.Trailer))
	if total > MaxMessageBytes {
		return dst, fault("request", 0, TooLong)
	}
	before := len(dst)
	grown := extend(dst, prefix+int(total))
	if prefix != 0 {
		binary.BigEndian.PutUint32(grown[before:], uint32(total))
	}
	b := grown[before+prefix:]
	putHeader(b, TypeRequest, total)
	tail := putSlot(b, 16, HeaderBytes+fixedBytes, uint64(len(r.Method)))
	copy(b[HeaderBytes+fixedBytes:], r.Method)
	if !visible(b, tail, uint64(len(r.Method))) || len(r.Method) == 0 {
		return dst, textFault(r.Method, "request method", 16)
	}
	at := tail
	tail = putSlot(b, 24, at, uint64(len(r.Target)))
	copy(b[at:], r.Target)
	if !visible(b, tail, uint64(len(r.Target))) || len(r.Target) == 0 {
		return dst, textFault(r.Target, "request target", 24)
	}
	at = tail
	tail = putSlot(b, 32, at, uint64(len(r.Proto)))
	copy(b[at:], r.Proto)
	if !visible(b, tail, uint64(len(r.Proto))) {
		return dst, textFault(r.Proto, "request proto", 32)
	}
	putRest(b, tail, r.Headers, r.Body, r.Trailer)
	return grown, nil
}

// putRest writes the three slots that requests and responses end with, and
// their content.
func putRest(b []byte, tail uint64, headers, body, trailer []byte) {
	at := tail
	tail = putSlot(b, 40, at, uint64(len(headers)))
	copy(b[at:], headers)
	at = tail
	tail = putSlot(b, 48, at, uint64(len(body)))
	copy(b[at:], body)
	putSlot(b, 56, tail, uint64(len(trailer)))
	copy(b[tail:], trailer)
}

// extend lengthens dst by n bytes of any content.
func extend(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		dst = slices.Grow(dst, n)
	}
	return dst[:len(dst)+n]
}
