package naive

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"nullius/zap/serve"
)

// Context is a request with its reply, made afresh for every request.
type Context struct {
	Request
	serve.Reply
}

// newContext decodes a request into a fresh context.
func newContext(message []byte) (*Context, error) {
	c := new(Context)
	return c, c.Request.decode(message)
}

// Server answers the routes of package serve over ZAP.
type Server struct {
	options  serve.Options
	draining atomic.Bool
	open     sync.WaitGroup

	accepted, replied, timedOut, refused atomic.Int64

	mu          sync.Mutex
	listener    net.Listener
	connections map[*connection]struct{}
}

// New makes a server.
func New(o serve.Options) *Server {
	return &Server{options: o, connections: make(map[*connection]struct{})}
}

// Path says what this is.
func (s *Server) Path() string {
	return serve.Versions("ZAP, a fresh frame, header map and context for each request, a write for each response")
}

// Counts gives what was done so far.
func (s *Server) Counts() serve.Counts {
	return serve.Counts{Accepted: s.accepted.Load(), Replied: s.replied.Load(), TimedOut: s.timedOut.Load(), Refused: s.refused.Load()}
}

// acceptPause is how long accepting rests when there are no descriptors left.
const acceptPause = 10 * time.Millisecond

// Serve accepts connections until Drain.
func (s *Server) Serve(listener net.Listener) error {
	s.mu.Lock()
	s.listener = listener
	s.mu.Unlock()
	defer listener.Close()
	for !s.draining.Load() {
		conn, err := listener.Accept()
		switch {
		case err == nil:
			go s.ServeConn(conn)
		case !errors.Is(err, net.ErrClosed):
			time.Sleep(acceptPause)
		case !s.draining.Load():
			return err
		}
	}
	return nil
}

// connection is a client's connection.
type connection struct {
	net.Conn
	reader *bufio.Reader
	busy   atomic.Bool // a request has begun and is not yet answered
}

// ServeConn answers on one connection until it ends, and closes it. A
// connection beyond the limit is told 503.
func (s *Server) ServeConn(conn net.Conn) {
	defer conn.Close()
	s.accepted.Add(1)
	c := &connection{Conn: conn, reader: bufio.NewReader(conn)}
	if !s.enter(c) {
		s.refused.Add(1)
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		writeResponse(conn, &Response{Status: 503, Reason: serve.Reason(503)})
		return
	}
	defer s.leave(c)
	defer func() {
		if reason := recover(); reason != nil { // this client is lost and no other, as in net/http
			fmt.Fprintf(os.Stderr, "zap: a handler panicked: %v\n%s", reason, debug.Stack())
		}
	}()
	for {
		err := s.exchange(c)
		if errors.Is(err, os.ErrDeadlineExceeded) && !s.draining.Load() {
			s.timedOut.Add(1)
		}
		if err != nil || s.draining.Load() && c.reader.Buffered() == 0 {
			return
		}
	}
}

func (s *Server) enter(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() || len(s.connections) >= s.options.Connections {
		return false
	}
	s.connections[c] = struct{}{}
	s.open.Add(1)
	return true
}

func (s *Server) leave(c *connection) {
	s.mu.Lock()
	delete(s.connections, c)
	s.mu.Unlock()
	s.open.Done()
}

// await waits for the first byte of a request.
func (s *Server) await(c *connection) error {
	c.busy.Store(false)
	if t := s.options.Timeout; t > 0 {
		c.SetReadDeadline(time.Now().Add(t))
	}
	if s.draining.Load() {
		// Drain may have set it just before.
		c.SetReadDeadline(past)
	}
	_, err := c.reader.Peek(1)
	c.busy.Store(true)
	if err == nil && s.draining.Load() {
		s.mu.Lock() // Drain may just be setting it
		c.SetReadDeadline(time.Now().Add(s.options.Timeout))
		s.mu.Unlock()
	}
	return err
}

// exchange reads one request and writes its response.
func (s *Server) exchange(c *connection) error {
	if err := s.await(c); err != nil {
		return err
	}
	message, err := readFrame(c.reader, s.options.FrameLimit)
	var q *Context
	if err == nil {
		q, err = newContext(message)
	}
	if err != nil {
		return s.reject(c, err)
	}
	serve.Answer(&q.Reply, serve.RecordBalance, q.Method, q.Target, q.Request.Body)
	response := Response{Status: q.Status, Reason: serve.Reason(q.Status), ContentType: q.Type.String(), Body: q.Reply.Body}
	if t := s.options.Timeout; t > 0 {
		c.SetWriteDeadline(time.Now().Add(t))
	}
	if err := writeResponse(c, &response); err != nil {
		return err
	}
	s.replied.Add(1)
	return nil
}

func writeResponse(conn net.Conn, r *Response) error {
	frame, err := encodeResponse(r)
	if err != nil {
		return err
	}
	_, err = conn.Write(frame)
	return err
}

var errLength = errors.New("zap: the length prefix is beyond the limit")

// firstBytes is how much of a frame is made room for on a peer's word alone.
const firstBytes = 64 << 10

// readFrame reads a length prefix and gives the message after it, in fresh
// memory that grows as bytes arrive.
func readFrame(reader *bufio.Reader, limit int) ([]byte, error) {
	prefix, err := reader.Peek(prefixBytes)
	if err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(prefix))
	switch {
	case n == 0:
		return nil, errors.New("zap: the length prefix is zero")
	case n > int64(limit):
		return nil, errLength
	}
	reader.Discard(prefixBytes)
	message := make([]byte, min(int(n), firstBytes))
	for have := 0; ; {
		got, err := io.ReadFull(reader, message[have:])
		if have += got; err != nil {
			return nil, err
		}
		if have == int(n) {
			return message, nil
		}
		longer := make([]byte, min(int(n), 2*len(message)))
		copy(longer, message)
		message = longer
	}
}

// errRejected ends a connection whose client was told why.
var errRejected = errors.New("zap: the request was not understood")

// reject tells the client what is wrong with its request, if anything arrived
// that can be called one.
func (s *Server) reject(c *connection, reason error) error {
	var network net.Error
	if errors.As(reason, &network) || errors.Is(reason, io.EOF) || errors.Is(reason, io.ErrUnexpectedEOF) {
		return reason
	}
	s.refused.Add(1)
	status := 400
	if reason == errLength {
		status = 413
	}
	c.SetWriteDeadline(time.Now().Add(time.Second))
	err := writeResponse(c, &Response{Status: status, Reason: serve.Reason(status), ContentType: serve.Text.String(),
		Body: fmt.Appendln(nil, reason)})
	if err == nil {
		serve.Linger(c.Conn)
	}
	return errRejected
}

// past is a deadline that wakes whoever reads.
var past = time.Unix(1, 0)

// Drain takes no new connections, closes idle ones at once and the others
// after their response; what is open when the limit has run out is closed.
func (s *Server) Drain(limit time.Duration) {
	s.draining.Store(true)
	done := make(chan struct{})
	s.each(func(c *connection) {
		if !c.busy.Load() {
			c.SetReadDeadline(past)
		}
	})
	go func() { s.open.Wait(); close(done) }()
	for _, wait := range []time.Duration{limit, time.Second} {
		timer := time.NewTimer(wait)
		select {
		case <-done:
			timer.Stop()
			return
		case <-timer.C:
			s.each(func(c *connection) { c.Close() })
		}
	}
}

// each closes the listener and does something to all connections.
func (s *Server) each(do func(*connection)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		s.listener.Close()
	}
	for c := range s.connections {
		do(c)
	}
}
