package pooled

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"nullius/zap/serve"
	"nullius/zap/wire"
)

// Server answers ZAP requests on the connections of a listener.
type Server struct {
	handler Handler
	limits  Limits
	allowed [phases]uint32
	// byReference is the length from which a body is written from where it
	// lies instead of through the write buffer.
	byReference int

	tick     atomic.Uint32 // the coarse clock
	draining atomic.Bool
	stop     chan struct{} // closed when draining begins
	open     sync.WaitGroup
	pool     sync.Pool // of *connection

	accepted, replied, timedOut, refused atomic.Int64

	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	first     *connection // of a doubly linked list of all that are open
	count     int
	watched   bool // the watch runs
}

// Writev says which bodies are written from where they lie.
type Writev string

// The choices of Writev.
const (
	WritevOff  Writev = "off"  // none
	WritevOn   Writev = "on"   // all but empty ones
	WritevAuto Writev = "auto" // those from AutoBytes
)

// New makes a server. The handler is called by one goroutine for each
// connection.
func New(handler Handler, limits Limits, writev Writev) *Server {
	s := &Server{handler: handler, limits: limits, allowed: limits.ticks(),
		stop: make(chan struct{}), listeners: make(map[net.Listener]struct{})}
	switch writev {
	case WritevOn:
		s.byReference = 1
	case WritevOff:
		s.byReference = wire.MaxMessageBytes
	default:
		s.byReference = AutoBytes
	}
	s.pool.New = func() any { return newConnection(s) }
	return s
}

// acceptPause is how long accepting rests when there are no descriptors left.
const acceptPause = 10 * time.Millisecond

// Serve accepts connections until Drain, then gives nil. Connections beyond
// the limit are told 503 and closed.
func (s *Server) Serve(listener net.Listener) error {
	defer listener.Close()
	s.mu.Lock()
	s.listeners[listener] = struct{}{}
	s.mu.Unlock()
	for !s.draining.Load() {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			if s.draining.Load() {
				return nil
			}
			return err
		}
		if err != nil {
			time.Sleep(acceptPause)
			continue
		}
		s.accepted.Add(1)
		if c := s.enter(conn); c != nil {
			go c.run()
		} else {
			s.refuse(conn)
		}
	}
	return nil
}

// ServeConn answers on one connection until it ends, and closes it.
func (s *Server) ServeConn(conn net.Conn) {
	s.accepted.Add(1)
	if c := s.enter(conn); c != nil {
		c.run()
	} else {
		s.refuse(conn)
	}
}

var refusal = func() []byte {
	out, err := appendHead(nil, 503, nil)
	if err != nil {
		panic(err)
	}
	return out
}()

// refuse tells a client that there are too many. A fresh socket has room for
// the few bytes; whatever else it is, a second is enough.
func (s *Server) refuse(conn net.Conn) {
	s.refused.Add(1)
	conn.SetWriteDeadline(time.Now().Add(time.Second))
	conn.Write(refusal)
	conn.Close()
}

// enter takes a connection into the list, or gives nil if it is not to be
// served.
func (s *Server) enter(conn net.Conn) *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() || s.limits.Connections > 0 && s.count >= s.limits.Connections {
		return nil
	}
	c := s.pool.Get().(*connection)
	c.begin(conn)
	s.count++
	if c.next = s.first; c.next != nil {
		c.next.previous = c
	}
	s.first = c
	s.open.Add(1)
	if step := s.limits.tick(); step > 0 && !s.watched {
		s.watched = true
		go s.watch(step)
	}
	return c
}

// leave takes a closed connection out of the list and, if it is sound, gives
// back its memory.
func (s *Server) leave(c *connection, sound bool) {
	s.mu.Lock()
	if c.previous != nil {
		c.previous.next = c.next
	} else {
		s.first = c.next
	}
	if c.next != nil {
		c.next.previous = c.previous
	}
	c.previous, c.next = nil, nil
	s.count--
	s.mu.Unlock()
	if sound {
		c.forget()
		s.pool.Put(c)
	}
	s.open.Done()
}

// long past: a deadline that wakes whoever waits.
var past = time.Unix(1, 0)

// watch steps the clock and wakes connections whose phase has lasted too long.
// It ends with the last connection, so that an idle server has no goroutine,
// or when draining begins, which has a bound of its own.
func (s *Server) watch(step time.Duration) {
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.stop:
			return
		}
		tick := s.tick.Add(1)
		s.mu.Lock()
		for c := s.first; c != nil; c = c.next {
			if mark(c.mark.Load()).expired(tick, &s.allowed) {
				// What the connection began meanwhile is not harmed: it looks
				// at its own mark before it gives up.
				c.conn.SetDeadline(past)
			}
		}
		if s.first == nil {
			s.watched = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

// Drain takes no new connections, lets begun requests be answered, closes idle
// connections at once and all others when the limit has run out.
func (s *Server) Drain(limit time.Duration) {
	s.mu.Lock()
	if !s.draining.Swap(true) {
		close(s.stop)
	}
	for listener := range s.listeners {
		listener.Close()
	}
	for c := s.first; c != nil; c = c.next {
		c.conn.SetReadDeadline(past)
	}
	s.mu.Unlock()

	done := make(chan struct{})
	go func() { s.open.Wait(); close(done) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return
	case <-timer.C:
	}
	s.mu.Lock()
	for c := s.first; c != nil; c = c.next {
		c.conn.Close()
	}
	s.mu.Unlock()
	timer.Reset(time.Second)
	select {
	case <-done:
	case <-timer.C: // a handler that does not return
	}
}

// Counts gives what was done so far. A connection adds its requests when it
// waits for more.
func (s *Server) Counts() serve.Counts {
	return serve.Counts{Accepted: s.accepted.Load(), Replied: s.replied.Load(), TimedOut: s.timedOut.Load(), Refused: s.refused.Load()}
}

func (s *Server) openConnections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Path says what this is.
func (s *Server) Path() string {
	return serve.Versions("ZAP, pooled context and buffers, coalesced writes")
}
