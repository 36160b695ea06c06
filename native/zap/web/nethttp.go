package web

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"nullius/zap/serve"
)

// NetHTTP is the standard library's server, for scale.
type NetHTTP struct {
	options serve.Options
	server  http.Server
	counts  counts

	mu       sync.Mutex
	listener *listener
}

// NewNetHTTP answers by net/http.
func NewNetHTTP(o serve.Options) *NetHTTP {
	s := &NetHTTP{options: o}
	s.server = http.Server{
		Handler:           http.HandlerFunc(s.answer),
		ReadTimeout:       o.Timeout,
		ReadHeaderTimeout: o.Timeout,
		WriteTimeout:      o.Timeout,
		IdleTimeout:       o.Timeout,
		MaxHeaderBytes:    headBytes,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	return s
}

func (s *NetHTTP) answer(w http.ResponseWriter, request *http.Request) {
	body, err := s.body(w, request)
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		s.counts.refused.Add(1)
		http.Error(w, "the request's body is too long", http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		// The client has gone, or its time is up: nobody reads an answer.
		panic(http.ErrAbortHandler)
	}
	r := replies.Get().(*serve.Reply)
	serve.Answer(r, serve.JSONBalance, []byte(request.Method), []byte(request.URL.Path), body)
	header := w.Header()
	header.Set("Content-Type", r.Type.String())
	header.Set("Content-Length", strconv.Itoa(len(r.Body)))
	w.WriteHeader(r.Status)
	w.Write(r.Body)
	giveBack(r)
	s.counts.replied.Add(1)
}

// body reads the request's body whole, at most the limit.
func (s *NetHTTP) body(w http.ResponseWriter, request *http.Request) ([]byte, error) {
	if request.ContentLength == 0 {
		return nil, nil
	}
	limited := http.MaxBytesReader(w, request.Body, int64(s.options.FrameLimit))
	if request.ContentLength < 0 || request.ContentLength > int64(s.options.FrameLimit) {
		return io.ReadAll(limited)
	}
	body := make([]byte, request.ContentLength)
	_, err := io.ReadFull(limited, body)
	return body, err
}

// Path says what this is.
func (s *NetHTTP) Path() string { return serve.Versions("net/http") }

// Counts gives what was done so far.
func (s *NetHTTP) Counts() serve.Counts { return s.counts.read() }

// Serve accepts connections until Drain.
func (s *NetHTTP) Serve(inner net.Listener) error {
	l := listen(inner, s.options.Connections, &s.counts)
	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()
	if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeConn answers on one connection until it ends.
func (s *NetHTTP) ServeConn(conn net.Conn) error {
	s.counts.accepted.Add(1)
	one := &single{conn: conn, closed: make(chan struct{})}
	if err := s.server.Serve(one); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Drain takes no new connections, lets begun requests be answered and closes
// the others; what is left when the limit has run out is closed.
func (s *NetHTTP) Drain(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if s.server.Shutdown(ctx) == nil {
		return
	}
	s.server.Close()
	s.mu.Lock()
	l := s.listener
	s.mu.Unlock()
	if l != nil {
		l.closeAll()
	}
}

// single is a listener with one connection; its next Accept waits until that
// has been closed, and gives io.EOF.
type single struct {
	conn   net.Conn
	taken  bool
	once   sync.Once
	closed chan struct{}
}

func (l *single) Accept() (net.Conn, error) {
	if l.taken {
		<-l.closed
		return nil, io.EOF
	}
	l.taken = true
	return &singleConn{Conn: l.conn, listener: l}, nil
}

func (l *single) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *single) Addr() net.Addr { return l.conn.LocalAddr() }

type singleConn struct {
	net.Conn
	listener *single
}

func (c *singleConn) Close() error {
	defer c.listener.Close()
	return c.Conn.Close()
}
