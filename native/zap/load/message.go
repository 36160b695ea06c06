package load

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Message is the request that is sent over and over.
type Message struct {
	Method, Target string
	Header         []Field
	Body           []byte
}

// Field is one header.
type Field struct{ Name, Value string }

func (m *Message) check() error {
	switch {
	case !token(m.Method):
		return fmt.Errorf("--method %q is not a method", m.Method)
	case !strings.HasPrefix(m.Target, "/") || strings.ContainsFunc(m.Target, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return fmt.Errorf("--target %q must begin with / and hold visible ASCII only", m.Target)
	}
	for _, f := range m.Header {
		if !token(f.Name) || !utf8.ValidString(f.Value) || strings.ContainsFunc(f.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("--header %q is not a header of HTTP", f.Name+": "+f.Value)
		}
		switch strings.ToLower(f.Name) {
		case "content-length", "transfer-encoding", "connection", "expect":
			return fmt.Errorf("--header %s is the loader's to set", f.Name)
		}
	}
	return nil
}

func token(text string) bool {
	for _, r := range text {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r) {
			return false
		}
	}
	return text != ""
}

// fields gives the headers to send: those asked for, and the usual ones where
// they were not, Host first.
func (m *Message) fields(host string) []Field {
	fields := m.Header
	usual := []Field{{"User-Agent", "zap-load"}, {"Host", host}}
	if len(m.Body) > 0 {
		usual = append([]Field{{"Content-Type", "application/json"}}, usual...)
	}
	for _, f := range usual {
		if !m.has(f.Name) {
			fields = append([]Field{f}, fields...)
		}
	}
	return fields
}

func (m *Message) has(name string) bool {
	for _, f := range m.Header {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

const (
	chatStart = `{"model":"nullius","messages":[{"role":"user","content":"`
	chatEnd   = `"}]}`
)

// ChatBody gives a chat-shaped JSON body of exactly n bytes; one too short to
// be that is plain text.
func ChatBody(n int) []byte {
	words := []byte("the quick brown fox jumps over the lazy dog ")
	filler := func(n int) []byte { return bytes.Repeat(words, n/len(words)+1)[:n] }
	if n < len(chatStart)+len(chatEnd) {
		return filler(n)
	}
	body := append(make([]byte, 0, n), chatStart...)
	body = append(body, filler(n-len(chatStart)-len(chatEnd))...)
	return append(body, chatEnd...)
}
