// Package memory has a connection that is no socket: a client within the
// process, so that a server's own work can be measured and its writes counted.
package memory

import (
	"fmt"
	"io"
	"net"
	"time"
)

// Conn is a net.Conn at whose other end a client sends requests in turn, over
// and over, so many at once, and waits for all their replies before the next. It
// is for one goroutine. Deadlines are accepted and cost nothing.
type Conn struct {
	// requests is enough of them, one after the other, for any batch.
	requests []byte
	kinds    int // different ones
	bytes    int // length of each
	depth    int
	left     int // requests not yet sent

	batch   []byte // of request, what is not yet read
	reply   []byte // the first reply
	awaited int    // bytes of replies not yet written
	sent    int
	fault   error

	// Loose allows replies of any length: only that something is written
	// before the server asks for more is then checked.
	Loose bool
	// Writes and Written count calls of Write and their bytes.
	Writes, Written int
	// At is called when the server asks for more and the requests sent so far,
	// all answered, are AtRequests: 0 at the very beginning. End is called when
	// it asks for more than there is.
	At, End    func()
	AtRequests int
}

// NewConn makes a connection on which count requests come, depth at once after
// the first, which comes alone. Those given come in turn; they are of one
// length.
func NewConn(count, depth int, requests ...[]byte) *Conn {
	c := &Conn{kinds: len(requests), bytes: len(requests[0]), depth: depth, left: count, AtRequests: -1}
	for i := range len(requests) + depth {
		c.requests = append(c.requests, requests[i%len(requests)]...)
	}
	if len(c.requests) != (len(requests)+depth)*c.bytes {
		panic("memory: the requests are not of one length")
	}
	return c
}

// Reply gives the first reply.
func (c *Conn) Reply() []byte { return c.reply }

// Answered is the number of requests answered, and an error if the server did
// not answer each by as many bytes as the first.
func (c *Conn) Answered() (int, error) {
	if c.fault == nil && (c.awaited != 0 || len(c.batch) != 0) {
		c.fault = fmt.Errorf("memory: after %d requests the server ended with %d bytes not read and %d not written", c.sent, len(c.batch), c.awaited)
	}
	return c.sent, c.fault
}

// Read gives what the client has sent.
func (c *Conn) Read(p []byte) (int, error) {
	if len(c.batch) == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.batch)
	c.batch = c.batch[n:]
	return n, nil
}

// next makes the client send its next requests.
func (c *Conn) next() error {
	if c.awaited != 0 {
		c.fault = fmt.Errorf("memory: the server waits for more, but owes %d bytes of replies after %d requests", c.awaited, c.sent)
		return c.fault
	}
	if c.sent == c.AtRequests && c.At != nil {
		c.At()
	}
	if c.left == 0 {
		if c.End != nil {
			c.End()
			c.End = nil
		}
		return io.EOF
	}
	n := min(c.depth, c.left)
	if c.sent == 0 {
		n = 1
	}
	from := c.sent % c.kinds
	c.batch = c.requests[from*c.bytes : (from+n)*c.bytes]
	c.left -= n
	c.sent += n
	c.awaited = n * len(c.reply)
	return nil
}

// Write takes replies.
func (c *Conn) Write(p []byte) (int, error) {
	c.Writes++
	c.Written += len(p)
	if c.sent == 1 {
		c.reply = append(c.reply, p...)
		return len(p), nil
	}
	if c.Loose {
		c.awaited = 0
		return len(p), nil
	}
	if c.awaited -= len(p); c.awaited < 0 {
		c.fault = fmt.Errorf("memory: %d bytes of replies too many after %d requests", -c.awaited, c.sent)
		return 0, c.fault
	}
	return len(p), nil
}

// Close does nothing.
func (c *Conn) Close() error { return nil }

// LocalAddr and RemoteAddr give an address that is none.
func (c *Conn) LocalAddr() net.Addr  { return address }
func (c *Conn) RemoteAddr() net.Addr { return address }

var address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}

// The deadlines are accepted.
func (c *Conn) SetDeadline(time.Time) error      { return nil }
func (c *Conn) SetReadDeadline(time.Time) error  { return nil }
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }
