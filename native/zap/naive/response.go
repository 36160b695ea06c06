package naive

import (
	"encoding/binary"
	"errors"
)

// Response is an HTTP response.
type Response struct {
	Status      int
	Reason      []byte
	ContentType string // the only header; none if empty
	Body        []byte
}

const (
	prefixBytes = 4
	maxMessage  = 64 << 20
)

var errResponse = errors.New("zap: the response cannot be sent")

// encodeResponse gives a fresh frame with the response, its length prefix
// included.
func encodeResponse(r *Response) ([]byte, error) {
	// Eight bytes more for what stands around the content type.
	const around = prefixBytes + headerBytes + sectionBytes + len(`HTTP/1.1{"Content-Type":[""]}`)
	size := around + len(r.Reason) + len(r.ContentType) + len(r.Body)
	if size-prefixBytes > maxMessage || r.Status < 100 || r.Status > 599 {
		return nil, errResponse
	}
	frame := make([]byte, prefixBytes+headerBytes+sectionBytes, size)
	message := frame[prefixBytes:]
	copy(message, "ZAP\x00\x01\x00\x00")
	message[7] = typeResponse
	message[8] = headerBytes
	message[16], message[17] = byte(r.Status), byte(r.Status>>8)

	frame = appendField(frame, 24, r.Reason)
	frame = appendField(frame, 32, []byte("HTTP/1.1"))
	from := len(frame)
	if r.ContentType != "" {
		frame = append(frame, `{"Content-Type":["`...)
		frame = append(frame, r.ContentType...)
		frame = append(frame, `"]}`...)
	}
	putSlot(frame, 40, from)
	frame = appendField(frame, 48, r.Body)

	total := uint32(len(frame) - prefixBytes)
	binary.BigEndian.PutUint32(frame, total)
	binary.LittleEndian.PutUint32(frame[prefixBytes+12:], total)
	return frame, nil
}

// appendField appends a field's content and fills in its slot.
func appendField(frame []byte, slot int, content []byte) []byte {
	from := len(frame)
	frame = append(frame, content...)
	putSlot(frame, slot, from)
	return frame
}

// putSlot fills in the slot at a position of the message for the content from
// there to the frame's end.
func putSlot(frame []byte, slot, from int) {
	if length := len(frame) - from; length > 0 {
		binary.LittleEndian.PutUint32(frame[prefixBytes+slot:], uint32(from-prefixBytes-slot))
		binary.LittleEndian.PutUint32(frame[prefixBytes+slot+4:], uint32(length))
	}
}
