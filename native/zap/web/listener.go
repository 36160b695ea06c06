package web

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"nullius/zap/serve"
)

// listener knows its open connections: it counts them, turns those beyond a
// limit away and closes what is left of them at the end. None of the libraries
// here does all three.
type listener struct {
	net.Listener
	limit  int
	counts *counts
	// refusing is how many are being turned away.
	refusing atomic.Int32

	mu   sync.Mutex
	open map[*connection]struct{}
}

// counts is serve.Counts while it changes.
type counts struct {
	accepted, replied, timedOut, refused atomic.Int64
}

func (c *counts) read() serve.Counts {
	return serve.Counts{Accepted: c.accepted.Load(), Replied: c.replied.Load(), TimedOut: c.timedOut.Load(), Refused: c.refused.Load()}
}

func listen(inner net.Listener, limit int, c *counts) *listener {
	return &listener{Listener: inner, limit: limit, counts: c, open: map[*connection]struct{}{}}
}

// refusal is what a client beyond the limit is told before its connection is
// closed.
var refusal = []byte("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")

// acceptPause is how long accepting rests when there are no descriptors left.
const acceptPause = 10 * time.Millisecond

// Accept gives the next connection within the limit.
func (l *listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		if err != nil {
			time.Sleep(acceptPause)
			continue
		}
		l.counts.accepted.Add(1)
		if c := l.enter(inner.(*net.TCPConn)); c != nil {
			return c, nil
		}
		l.counts.refused.Add(1)
		l.refuse(inner)
	}
}

// maxRefusing bounds the clients that are turned away with time to read why;
// more of them are closed at once.
const maxRefusing = 64

func (l *listener) refuse(conn net.Conn) {
	if l.refusing.Add(1) > maxRefusing {
		l.refusing.Add(-1)
		conn.Close()
		return
	}
	go func() {
		defer l.refusing.Add(-1)
		defer conn.Close()
		// A fresh socket has room for it; the bound is for what is none.
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		if _, err := conn.Write(refusal); err == nil {
			serve.Linger(conn)
		}
	}()
}

func (l *listener) enter(inner *net.TCPConn) *connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.limit {
		return nil
	}
	c := &connection{TCPConn: inner, listener: l}
	l.open[c] = struct{}{}
	return c
}

// closeAll ends the connections that are still open.
func (l *listener) closeAll() {
	l.mu.Lock()
	left := make([]*connection, 0, len(l.open))
	for c := range l.open {
		left = append(left, c)
	}
	l.mu.Unlock()
	for _, c := range left {
		c.Close()
	}
}

// connection notices when a bound has run out, of which the libraries say
// nothing while a client is idle.
type connection struct {
	*net.TCPConn
	listener *listener
	late     bool
	// woken says that the deadline lies in the distant past, by which net/http
	// ends a read of its own; no client is late then.
	woken atomic.Bool
}

func (c *connection) SetReadDeadline(t time.Time) error {
	if woken := !t.IsZero() && t.Before(longAgo); woken != c.woken.Load() {
		c.woken.Store(woken)
	}
	return c.TCPConn.SetReadDeadline(t)
}

var longAgo = time.Unix(1<<20, 0)

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if err != nil {
		c.fault(err)
	}
	return n, err
}

func (c *connection) Write(b []byte) (int, error) {
	n, err := c.TCPConn.Write(b)
	if err != nil {
		c.fault(err)
	}
	return n, err
}

func (c *connection) fault(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) && !c.woken.Load() {
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		if _, open := c.listener.open[c]; open && !c.late {
			c.late = true
			c.listener.counts.timedOut.Add(1)
		}
	}
}

func (c *connection) Close() error {
	c.listener.mu.Lock()
	delete(c.listener.open, c)
	c.listener.mu.Unlock()
	return c.TCPConn.Close()
}
