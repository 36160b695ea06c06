package load

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// maxLearnt bounds the body of a first reply in bytes.
const maxLearnt = maxBody

// learn makes one request on a connection of its own and takes its body for
// what is expected of all others.
func learn(o *Options, request []byte) error {
	from := newSource(o.Seed^1<<63, o.Server)
	fd, err := openPatiently(o, &from)
	if err != nil {
		return fmt.Errorf("the server at %v cannot be reached: %w", o.Server, err)
	}
	defer unix.Close(fd)
	bound := unix.NsecToTimeval(int64(o.Timeout))
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &bound)
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &bound)
	for rest := request; len(rest) > 0; {
		n, err := unix.Write(fd, rest)
		if err != nil {
			return fmt.Errorf("the server at %v takes no request: %w", o.Server, err)
		}
		rest = rest[n:]
	}
	h, body, err := readReply(fd, protocolNamed(o.Protocol))
	switch {
	case err != nil:
		return fmt.Errorf("the server at %v gives no usable first reply to %s %s: %w", o.Server, o.Message.Method, o.Message.Target, err)
	case h.status != o.Expected.Status:
		return fmt.Errorf("the server at %v answers %s %s with the status %d, not %d", o.Server, o.Message.Method, o.Message.Target, h.status, o.Expected.Status)
	case o.Expected.Bytes >= 0 && o.Expected.Bytes != len(body):
		return fmt.Errorf("the server at %v answers %s %s with %d bytes, not %d", o.Server, o.Message.Method, o.Message.Target, len(body), o.Expected.Bytes)
	}
	o.Expected.Body = body
	return nil
}

// openPatiently tries as often as a connection of the load.
func openPatiently(o *Options, from *source) (fd int, err error) {
	for c := (connection{}); c.attempts < maxAttempts; {
		if fd, err = open(o.Server, from, 0); err == nil {
			return fd, nil
		}
		c.attempts++
		time.Sleep(time.Duration(c.rest()))
	}
	return -1, err
}

// readReply reads one reply, growing as it arrives.
func readReply(fd int, p protocol) (h head, body []byte, err error) {
	var b []byte
	part := make([]byte, 64<<10)
	for more := true; more || len(b) < h.bytes+h.body; {
		n, err := unix.Read(fd, part)
		if err != nil {
			return h, nil, err
		}
		if n == 0 {
			return h, nil, fmt.Errorf("it closes after %d bytes", len(b))
		}
		b = append(b, part[:n]...)
		if !more {
			continue
		}
		if h, more, err = p.head(b[:min(len(b), maxHead)]); err != nil {
			return h, nil, err
		}
		if more && len(b) > maxHead {
			return h, nil, errLongHead
		}
		if h.body > maxLearnt {
			return h, nil, fmt.Errorf("its body is to have %d bytes, and the most that is taken is 64 MiB", h.body)
		}
	}
	if len(b) > h.bytes+h.body {
		return h, nil, fmt.Errorf("%d bytes follow it", len(b)-h.bytes-h.body)
	}
	return h, b[h.bytes:], nil
}
