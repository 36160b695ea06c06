package pooled

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"nullius/zap/serve"
	"nullius/zap/wire"
)

// connection is a client's connection with all the memory it needs. It is
// taken from the server's pool and used by one goroutine.
type connection struct {
	server *Server
	conn   net.Conn
	socket socket // the same, for system calls of our own; see socket.go
	mark   atomic.Uint32

	// Of the read buffer in, the bytes from start to end are not yet answered.
	// grown is where in's memory comes from if not from small.
	in         []byte
	start, end int
	small      []byte
	grown      *buffer

	// out is what is not yet written, in smallOut's memory or, longer, in
	// outgoing's. (A pooled buffer for every batch of requests would save the
	// connection's own, and cost a third more time for a short request.)
	out      []byte
	smallOut []byte
	outgoing *buffer
	pieces   [2][]byte // what is written at once when a body is not copied
	vector   net.Buffers

	context Context
	replied int64 // not yet added to the server's
	failure error // why the connection is to be closed, io.EOF when the client is done

	previous, next *connection
}

func newConnection(s *Server) *connection {
	c := &connection{server: s, small: make([]byte, firstBytes), smallOut: make([]byte, 0, firstOutBytes)}
	c.socket.init(c)
	c.context.fields = make([]Field, 0, 8)
	return c
}

func (c *connection) begin(conn net.Conn) {
	c.conn = conn
	c.in, c.start, c.end = c.small, 0, 0
	c.out = c.smallOut
	c.failure = nil
	c.mark.Store(uint32(markOf(idle, c.server.tick.Load())))
}

// forget lets go of everything but the memory of ordinary size.
func (c *connection) forget() {
	c.count()
	c.shrinkIn()
	c.dropOut()
	c.context.forget()
	c.pieces, c.vector = [2][]byte{}, nil
	c.socket.forget()
	c.conn = nil
}

// run answers requests until the client, an error or the server ends the
// connection, and closes it.
func (c *connection) run() {
	defer c.leave()
	if c.socket.begin(c.conn) {
		c.socket.run()
	} else {
		for c.failure == nil {
			c.wait()
			n, err := c.conn.Read(c.room())
			c.received(n, err)
		}
	}
	c.conclude()
}

// leave closes the connection. A handler that panicked loses this client only,
// as in net/http; what memory it held is not used again, since nobody knows
// how far it came.
func (c *connection) leave() {
	reason := recover()
	c.conn.Close()
	c.server.leave(c, reason == nil)
	if reason != nil {
		fmt.Fprintf(os.Stderr, "zap: a handler panicked: %v\n%s", reason, debug.Stack())
	}
}

// enter notes what the connection waits for from now on. Most often nothing
// has changed, and a look is cheaper than a store that all processors see.
func (c *connection) enter(p phase) {
	if m := uint32(markOf(p, c.server.tick.Load())); c.mark.Load() != m {
		c.mark.Store(m)
	}
}

// wait notes that the connection is about to wait for bytes. A request that
// goes on arriving keeps its phase's beginning, so that a byte now and then does
// not prolong it.
func (c *connection) wait() {
	p := idle
	if waiting := c.end - c.start; waiting >= wire.PrefixBytes+wire.HeaderBytes {
		p = body
	} else if waiting > 0 {
		p = head
	} else if c.grown != nil {
		c.shrinkIn()
	}
	if c.replied != 0 {
		c.count()
		c.enter(p)
	} else if p == idle || phase(c.mark.Load()&(1<<phaseBits-1)) != p {
		c.enter(p)
	}
}

// count adds the requests answered since it was last called to the server's.
func (c *connection) count() {
	c.server.replied.Add(c.replied)
	c.replied = 0
}

// received takes n bytes that were read into room and what came with them, and
// answers what can be answered.
func (c *connection) received(n int, err error) {
	c.end += n
	if n > 0 {
		c.answer()
	}
	if err != nil && c.failure == nil {
		c.failure = c.judge(err)
		if c.failure == nil && c.server.draining.Load() && c.start == c.end {
			c.failure = io.EOF
		}
	}
}

// judge gives the reason to close after an error of reading or writing, or nil
// if it is to be tried again: the connection was woken for what it waited for
// before, or because the server drains.
func (c *connection) judge(err error) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	if mark(c.mark.Load()).expired(c.server.tick.Load(), &c.server.allowed) {
		return errTimeout
	}
	return c.conn.SetDeadline(time.Time{})
}

// room gives where to read to. It is never empty: the read buffer moves or
// grows when a request does not fit.
func (c *connection) room() []byte {
	if c.start == c.end {
		c.start, c.end = 0, 0
	} else if c.end == len(c.in) {
		c.makeRoom()
	}
	return c.in[c.end:]
}

// makeRoom moves what has arrived to the buffer's start or, if the buffer is
// full, into one of the next class. The frame's length was checked before, so
// the last class suffices.
func (c *connection) makeRoom() {
	into := c.in
	var next *buffer
	if c.start == 0 {
		class := 1
		if c.grown != nil {
			class = c.grown.class + 1
		}
		next = takeBuffer(class)
		into = next.bytes
	}
	c.end = copy(into, c.in[c.start:c.end])
	c.start = 0
	if next != nil {
		if c.grown != nil {
			c.grown.giveBack()
		}
		c.grown, c.in = next, into
	}
}

// shrinkIn gives back a read buffer that grew; nothing in it is waiting.
func (c *connection) shrinkIn() {
	if c.grown != nil {
		c.context.forget() // it holds views
		c.grown.giveBack()
		c.grown, c.in, c.start, c.end = nil, c.small, 0, 0
	}
}

// answer answers the whole requests that have arrived and writes the answers.
func (c *connection) answer() {
	for c.failure == nil && c.end-c.start >= wire.PrefixBytes {
		n, err := wire.Length(c.in[c.start:c.end], c.server.limits.FrameBytes)
		if err != nil {
			c.reject(err)
			break
		}
		from := c.start + wire.PrefixBytes
		if c.end-from < n {
			break
		}
		c.start = from + n
		if err := c.context.begin(c.in[from:c.start:c.start]); err != nil {
			c.reject(err)
			break
		}
		c.server.handler(&c.context)
		c.reply()
	}
	if len(c.out) != 0 {
		c.flush()
	}
	if c.failure == nil && c.server.draining.Load() && c.start == c.end {
		c.failure = io.EOF
	}
}

// reply appends the context's reply to what is to be written.
func (c *connection) reply() {
	if cap(c.out)-len(c.out) < headBytes {
		c.makeOut(headBytes)
	}
	var content []byte
	c.out, content = c.context.appendReply(c.out)
	c.replied++
	if len(content) >= c.server.byReference {
		c.writeBoth(content)
	} else {
		if cap(c.out)-len(c.out) < len(content) {
			c.makeOut(len(content))
		}
		c.out = append(c.out, content...)
		if len(c.out) >= flushBytes {
			c.flush()
		}
	}
	c.context.end()
}

// headBytes is room enough for a response up to its body, if the handler gave
// no headers of its own.
const headBytes = 256

// flushBytes is when responses are written although more requests wait.
const flushBytes = 16 << 10

// makeOut moves what is to be written into memory with room for n bytes more.
func (c *connection) makeOut(n int) {
	class := 0
	for classBytes(class) < len(c.out)+n {
		class++
	}
	next := takeBuffer(class)
	out := append(next.bytes[:0], c.out...)
	c.dropOut()
	c.outgoing, c.out = next, out
}

// dropOut gives back a write buffer that grew, with what was in it.
func (c *connection) dropOut() {
	if c.outgoing != nil {
		c.outgoing.giveBack()
		c.outgoing = nil
	}
	c.out = c.smallOut
}

// flush writes what is to be written.
func (c *connection) flush() {
	if err := c.write(); err != nil {
		c.failure = err
	}
	c.dropOut()
}

// rawBytes is the longest write that is tried without telling Go's scheduler.
// The kernel takes no more than its send buffer has room for, and copies that in
// some hundred microseconds; a body of 1 MiB costs 0.89 of what it does when the
// scheduler is told.
const rawBytes = 2 << 20

// write writes out, at first without waiting where that can be.
func (c *connection) write() error {
	rest := c.out
	if c.socket.usable() && len(rest) <= rawBytes {
		n, err := c.socket.send(rest)
		if n == len(rest) || err != nil {
			return err
		}
		rest = rest[n:]
	}
	c.enter(writing)
	for {
		n, err := c.conn.Write(rest)
		if err == nil {
			return nil
		}
		rest = rest[n:]
		if err = c.judge(err); err != nil {
			return err
		}
	}
}

// writeBoth writes what is to be written and then content, which is not copied.
func (c *connection) writeBoth(content []byte) {
	if err := c.tryBoth(content); err != nil {
		c.failure = err
	}
	c.pieces = [2][]byte{}
	c.dropOut()
}

func (c *connection) tryBoth(content []byte) error {
	first := c.out
	if c.socket.usable() && len(first)+len(content) <= rawBytes {
		n, err := c.socket.sendBoth(first, content)
		if n == len(first)+len(content) || err != nil {
			return err
		}
		content = content[max(0, n-len(first)):]
		first = first[min(n, len(first)):]
	}
	c.pieces = [2][]byte{first, content}
	c.vector = c.pieces[:]
	c.enter(writing)
	for {
		// It takes what was written off the vector.
		_, err := c.vector.WriteTo(c.conn)
		if err == nil {
			return nil
		}
		if err = c.judge(err); err != nil {
			return err
		}
	}
}

var (
	errTimeout  = errors.New("the client took longer than a limit allows")
	errRejected = errors.New("the client was told why its request was not understood")
)

// reject tells the client why its request is not understood. Where the next
// one would begin is not to be trusted, so the connection is then closed.
func (c *connection) reject(reason error) {
	c.server.refused.Add(1)
	status := 400
	if errors.Is(reason, wire.TooLong) {
		status = 413
	}
	r := &c.context.Reply
	r.Buffer = append(append(r.Buffer[:0], reason.Error()...), '\n')
	r.Set(status, serve.Text, r.Buffer)
	c.context.ReplyHeaders = nil
	out, content := c.context.appendReply(c.out)
	c.out = append(out, content...)
	c.flush()
	if c.failure == nil {
		c.failure = errRejected
	}
}

// conclude does what the reason to close asks for.
func (c *connection) conclude() {
	switch c.failure {
	case errTimeout:
		c.server.timedOut.Add(1)
	case errRejected:
		serve.Linger(c.conn)
	}
}
