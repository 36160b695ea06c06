package load

import "golang.org/x/sys/unix"

// state is how far a connection is.
type state uint8

const (
	unopened state = iota
	connecting
	established
	resting // lost, to be opened again when its time has come
	dead    // lost too often
)

// connection is one of a thread's, with the requests that wait for replies.
type connection struct {
	fd    int
	state state
	// inRing says that it stands in the ring of those with room.
	inRing bool
	// stuck says that the socket took not all that was to be sent.
	stuck bool
	// attempts counts openings since the last reply.
	attempts int
	// changed is when the present state began.
	changed int64
	retryAt int64

	reader reader
	// waiting requests begin at head in the ring of the thread's times.
	head, waiting int
	// unsent bytes of them are still to be written; the last of these ends a
	// request.
	unsent int
}

const (
	// maxAttempts openings without one reply, and a connection is given up.
	maxAttempts = 8
	firstRest   = int64(10e6) // nanoseconds, doubled each time
	longestRest = int64(1e9)
)

// rest is how long to wait before the next attempt, in nanoseconds: not at all
// after a connection that worked.
func (c *connection) rest() int64 {
	if c.attempts == 0 {
		return 0
	}
	return min(firstRest<<(c.attempts-1), longestRest)
}

const interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET

// begin opens a connection; what fails here is a lost attempt.
func (s *scheduler) begin(index int, now int64) {
	c := &s.connections[index]
	c.attempts++
	fd, err := open(s.options.Server, &s.source, unix.SOCK_NONBLOCK)
	if err == nil {
		// Edge-triggered: one registration for established, replies and close.
		err = unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: interest, Fd: int32(index)})
		if err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		s.rest(c, failureOf(err), now)
		return
	}
	c.fd = fd
	c.changed = now
	c.state = connecting
	s.connecting++
}

// rest puts a connection off after a failed attempt, or gives it up.
func (s *scheduler) rest(c *connection, why failure, now int64) {
	s.tally.attemptsFailed[why]++
	s.putOff(c, now)
}

func (s *scheduler) putOff(c *connection, now int64) {
	if c.attempts >= maxAttempts {
		c.state = dead
		s.dead++
		return
	}
	c.state = resting
	c.retryAt = now + c.rest()
	s.resting++
	s.nextCheck = min(s.nextCheck, c.retryAt)
}

// connected takes the outcome of an attempt.
func (s *scheduler) connected(index int, events uint32, now int64) {
	c := &s.connections[index]
	if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		why := error(unix.ECONNRESET)
		if n, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && n != 0 {
			why = unix.Errno(n)
		}
		s.abandon(c, failureOf(why), now)
		return
	}
	if events&unix.EPOLLOUT == 0 {
		return
	}
	s.connecting--
	c.state = established
	c.changed = now
	s.established++
	s.offer(index)
}

// abandon ends an attempt that did not succeed.
func (s *scheduler) abandon(c *connection, why failure, now int64) {
	s.connecting--
	unix.Close(c.fd)
	s.rest(c, why, now)
}

// lose ends an established connection. Requests that wait on it have failed for
// this reason; they are not sent again.
func (s *scheduler) lose(c *connection, why failure, now int64) {
	unix.Close(c.fd)
	s.established--
	s.tally.lost++
	s.tally.failures[why] += int64(c.waiting)
	s.outstanding -= c.waiting
	c.waiting, c.unsent, c.stuck = 0, 0, false
	c.reader = reader{pending: c.reader.pending[:0]}
	s.putOff(c, now)
}

// flush writes what is to be sent until the socket is full.
func (s *scheduler) flush(c *connection, now int64) {
	for c.unsent > 0 {
		from := 0
		if part := c.unsent % s.requestBytes; part > 0 {
			from = s.requestBytes - part
		}
		b := s.batch[from:min(len(s.batch), from+c.unsent)]
		n, errno := send(c.fd, b)
		switch {
		case errno == unix.EAGAIN:
			c.stuck = true
			return
		case errno == unix.EINTR:
			continue
		case errno == unix.EPIPE:
			s.lose(c, closed, now)
			return
		case errno != 0:
			s.lose(c, failureOf(errno), now)
			return
		}
		c.unsent -= n
		s.tally.sentBytes += int64(n)
	}
	c.stuck = false
}
