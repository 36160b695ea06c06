package load

import (
	"encoding/binary"
	"errors"

	"nullius/zap/wire"
)

// zap is the format of package wire, each message after its length prefix.
type zap struct{}

func (zap) request(m *Message, host string) ([]byte, error) {
	var fields []wire.Header
	for _, f := range m.fields(host) {
		fields = append(fields, wire.Header{Name: f.Name, Values: []string{f.Value}})
	}
	headers, err := wire.AppendHeaders(nil, fields)
	if err != nil {
		return nil, err
	}
	return wire.AppendFramedRequest(nil, &wire.Request{
		Method:  []byte(m.Method),
		Target:  []byte(m.Target),
		Proto:   []byte("HTTP/1.1"),
		Headers: headers,
		Body:    m.Body,
	})
}

// Where a response's slots lie when its root follows the message header, which
// is where every encoder of the format puts it.
const (
	totalAt   = wire.PrefixBytes + 12
	bodyAt    = wire.PrefixBytes + wire.HeaderBytes + 32
	trailerAt = bodyAt + 8
	fixedEnd  = trailerAt + 8
	emptySlot = 0
)

// head takes everything before the body. A body of any length is thus checked
// as it arrives; what precedes it is decoded as the message it would be with an
// empty body.
func (zap) head(b []byte) (head, bool, error) {
	if len(b) < wire.PrefixBytes {
		return head{}, true, nil
	}
	n, err := wire.Length(b, 0)
	if err != nil {
		return head{}, false, err
	}
	if n < fixedEnd-wire.PrefixBytes {
		return head{}, false, errors.New("the reply is shorter than a response's fixed section")
	}
	if len(b) < fixedEnd {
		return head{}, true, nil
	}
	if binary.LittleEndian.Uint32(b[totalAt-4:]) != wire.HeaderBytes {
		return head{}, false, errors.New("the reply's root does not follow its header")
	}
	if int64(binary.LittleEndian.Uint32(b[totalAt:])) != int64(n) {
		return head{}, false, errors.New("the reply's length and its prefix differ")
	}
	if binary.LittleEndian.Uint64(b[trailerAt:]) != emptySlot {
		return head{}, false, errors.New("the reply has a trailer, which none of the servers sends")
	}
	end := uint64(wire.PrefixBytes + n)
	h := head{bytes: int(end)}
	offset, length := uint64(binary.LittleEndian.Uint32(b[bodyAt:])), uint64(binary.LittleEndian.Uint32(b[bodyAt+4:]))
	if length > 0 {
		start := bodyAt + offset
		if start < fixedEnd || start+length != end {
			return head{}, false, errors.New("the reply's body is not the end of the message")
		}
		h.bytes, h.body = int(start), int(length)
	}
	if h.bytes > maxHead {
		return h, false, errLongHead
	}
	if h.bytes > len(b) {
		return h, true, nil
	}
	h.status, err = decodeWithoutBody(b[wire.PrefixBytes:h.bytes])
	return h, false, err
}

// decodeWithoutBody gives the status of a message whose body has been left out.
// It changes two fields to say so while it decodes, rather than copy the
// message, and puts them back.
func decodeWithoutBody(message []byte) (int, error) {
	total, body := message[totalAt-wire.PrefixBytes:][:4], message[bodyAt-wire.PrefixBytes:][:8]
	totalWas, bodyWas := binary.LittleEndian.Uint32(total), binary.LittleEndian.Uint64(body)
	binary.LittleEndian.PutUint32(total, uint32(len(message)))
	binary.LittleEndian.PutUint64(body, emptySlot)
	var r wire.Response
	err := r.Decode(message)
	binary.LittleEndian.PutUint32(total, totalWas)
	binary.LittleEndian.PutUint64(body, bodyWas)
	return int(r.Status), err
}
