package load

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// http is HTTP/1.1 with replies that say their length; a chunked reply, or one
// that ends with the connection, is refused, since the servers here send none.
type http struct{}

func (http) request(m *Message, host string) ([]byte, error) {
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\n", m.Method, m.Target)
	for _, f := range m.fields(host) {
		b = fmt.Appendf(b, "%s: %s\r\n", f.Name, f.Value)
	}
	if len(m.Body) > 0 || m.Method == "POST" {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(m.Body))
	}
	b = append(b, "\r\n"...)
	return append(b, m.Body...), nil
}

var (
	headEnd = []byte("\r\n\r\n")
	lineEnd = []byte("\r\n")
)

func (http) head(b []byte) (head, bool, error) {
	const version = "HTTP/1.1 "
	if known := min(len(b), len(version)); string(b[:known]) != version[:known] {
		return head{}, false, errors.New("the reply does not begin with HTTP/1.1")
	}
	end := bytes.Index(b, headEnd)
	if end < 0 {
		return head{}, true, nil
	}
	h := head{bytes: end + len(headEnd), body: -1}
	line, rest, _ := bytes.Cut(b[len(version):end+len(lineEnd)], lineEnd)
	var err error
	if h.status, err = status(line); err != nil {
		return h, false, err
	}
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, lineEnd)
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found || len(name) == 0 {
			return h, false, fmt.Errorf("the reply has the header line %.40q", line)
		}
		if err := h.field(name, bytes.TrimSpace(value)); err != nil {
			return h, false, err
		}
	}
	if h.body < 0 {
		if h.status != 204 && h.status != 304 {
			return h, false, errors.New("the reply has no Content-Length")
		}
		h.body = 0
	}
	return h, false, nil
}

// status reads "200 OK", also without a reason.
func status(line []byte) (int, error) {
	code := line[:min(3, len(line))]
	n, err := strconv.ParseUint(string(code), 10, 16)
	if err != nil || len(code) < 3 || n < 200 || n > 599 || len(line) > 3 && line[3] != ' ' {
		return 0, fmt.Errorf("the reply has the status %.40q", line)
	}
	return int(n), nil
}

func (h *head) field(name, value []byte) error {
	switch {
	case bytes.EqualFold(name, []byte("content-length")):
		n, err := strconv.ParseUint(string(value), 10, 31)
		if err != nil || value[0] == '+' || h.body >= 0 && h.body != int(n) {
			return fmt.Errorf("the reply has the Content-Length %.40q", value)
		}
		h.body = int(n)
	case bytes.EqualFold(name, []byte("transfer-encoding")):
		return fmt.Errorf("the reply has the Transfer-Encoding %.40q, and only replies of a known length are taken", value)
	case bytes.EqualFold(name, []byte("connection")):
		h.last = bytes.EqualFold(value, []byte("close"))
	}
	return nil
}
