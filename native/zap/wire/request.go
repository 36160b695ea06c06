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
	method, end, ok := slot(message, binary.LittleEndian.Uint64(fixed), root, root+fixedBytes)
	if !ok {
		return SlotFault(message, "request method", root)
	}
	target, end, ok := slot(message, binary.LittleEndian.Uint64(fixed[8:]), root+8, end)
	if !ok {
		return SlotFault(message, "request target", root+8)
	}
	proto, end, ok := slot(message, binary.LittleEndian.Uint64(fixed[16:]), root+16, end)
	if !ok {
		return SlotFault(message, "request proto", root+16)
	}
	headers, end, ok := slot(message, binary.LittleEndian.Uint64(fixed[24:]), root+24, end)
	if !ok {
		return SlotFault(message, "request headers", root+24)
	}
	body, end, ok := slot(message, binary.LittleEndian.Uint64(fixed[32:]), root+32, end)
	if !ok {
		return SlotFault(message, "request body", root+32)
	}
	trailer, _, ok := slot(message, binary.LittleEndian.Uint64(fixed[40:]), root+40, end)
	if !ok {
		return SlotFault(message, "request trailer", root+40)
	}
	r.Method, r.Target, r.Proto, r.Headers, r.Body, r.Trailer = method, target, proto, headers, body, trailer
	return r.checkLine(root)
}

// checkLine checks method, target and proto of a message whose fixed section
// starts at root.
func (r *Request) checkLine(root uint64) error {
	if len(r.Method) == 0 || len(r.Target) == 0 || !method(r.Method) || !visible(r.Target) || !protocol(r.Proto) {
		return r.lineFault(int(root))
	}
	return nil
}

// lineFault says what checkLine did not like.
//
//go:noinline
func (r *Request) lineFault(root int) error {
	switch {
	case len(r.Method) == 0:
		return fault("request method", root, Missing)
	case !visible(r.Method):
		return fault("request method", root, BadCharacter)
	case len(r.Target) == 0:
		return fault("request target", root+8, Missing)
	case !visible(r.Target):
		return fault("request target", root+8, BadCharacter)
	}
	return fault("request proto", root+16, BadCharacter)
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
	if err := r.checkLine(HeaderBytes); err != nil {
		return dst, err
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
	at := tail
	tail = putSlot(b, 24, at, uint64(len(r.Target)))
	copy(b[at:], r.Target)
	at = tail
	tail = putSlot(b, 32, at, uint64(len(r.Proto)))
	copy(b[at:], r.Proto)
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
	if len(body) != 0 {
		copy(b[at:], body)
	}
	putSlot(b, 56, tail, uint64(len(trailer)))
	if len(trailer) != 0 {
		copy(b[tail:], trailer)
	}
}

// extend lengthens dst by n bytes of any content.
func extend(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		dst = slices.Grow(dst, n)
	}
	return dst[:len(dst)+n]
}
