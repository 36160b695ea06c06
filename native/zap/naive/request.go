package naive

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Request is an HTTP request. Method, target, proto and body are views into
// the frame, headers and trailer are copies.
type Request struct {
	Method, Target, Proto []byte
	Header                Header
	Body                  []byte
	Trailer               Header
}

const (
	headerBytes  = 16
	sectionBytes = 48
	typeRequest  = 1
	typeResponse = 2
)

// section reads the slots of a message's fixed section, one after the other.
type section struct {
	message []byte
	at      int64 // position of the next slot
	floor   int64 // where the next field's content may begin
	err     error
}

// openMessage checks a message's header and gives its fixed section.
func openMessage(message []byte, kind uint16) (section, error) {
	if len(message) < headerBytes {
		return section{}, fmt.Errorf("zap: a message of %d bytes is shorter than its header", len(message))
	}
	version := binary.LittleEndian.Uint16(message[4:])
	root := int64(binary.LittleEndian.Uint32(message[8:]))
	size := int64(binary.LittleEndian.Uint32(message[12:]))
	switch {
	case string(message[:4]) != "ZAP\x00":
		return section{}, errors.New("zap: the message does not begin with ZAP")
	case version != 1 && version != 2:
		return section{}, fmt.Errorf("zap: version %d is not known", version)
	case binary.LittleEndian.Uint16(message[6:]) != kind<<8:
		return section{}, errors.New("zap: the message is not of the type that is read")
	case size != int64(len(message)):
		return section{}, fmt.Errorf("zap: the message says it has %d bytes, %d have arrived", size, len(message))
	case root < headerBytes || root+sectionBytes > size:
		return section{}, fmt.Errorf("zap: there is no room for the fixed section at %d", root)
	}
	return section{message: message, at: root, floor: root + sectionBytes}, nil
}

// bytes gives the next slot's content, nothing after an error.
func (s *section) bytes(field string) []byte {
	if s.err != nil {
		return nil
	}
	offset := binary.LittleEndian.Uint32(s.message[s.at:])
	length := binary.LittleEndian.Uint32(s.message[s.at+4:])
	from := s.at + int64(offset)
	s.at += 8
	if offset == 0 && length == 0 {
		return nil
	}
	to := from + int64(length)
	if from < s.floor || to > int64(len(s.message)) {
		s.err = fmt.Errorf("zap: the %s would lie from %d to %d", field, from, to)
		return nil
	}
	s.floor = to
	return s.message[from:to:to]
}

// word is bytes for a text in which no character may be a space or a control.
func (s *section) word(field string, least int) []byte {
	text := s.bytes(field)
	if s.err == nil && len(text) < least {
		s.err = fmt.Errorf("zap: the %s is empty", field)
	}
	for _, b := range text {
		if b <= ' ' || b == 0x7f {
			s.err = fmt.Errorf("zap: the %s holds the character %#02x", field, b)
			break
		}
	}
	return text
}

// header is bytes for headers.
func (s *section) header(field string) Header {
	text := s.bytes(field)
	if s.err != nil || len(text) == 0 {
		return nil
	}
	h, err := parseHeader(text)
	if err != nil {
		s.err = fmt.Errorf("zap: the %s: %w", field, err)
	}
	return h
}

// decode reads a request message, without its length prefix.
func (r *Request) decode(message []byte) error {
	s, err := openMessage(message, typeRequest)
	if err != nil {
		return err
	}
	r.Method = s.word("method", 1)
	r.Target = s.word("target", 1)
	r.Proto = s.word("proto", 0)
	r.Header = s.header("header")
	r.Body = s.bytes("body")
	r.Trailer = s.header("trailer")
	return s.err
}
