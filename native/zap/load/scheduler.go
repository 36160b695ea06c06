package load

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// scheduler is one thread of the load: it owns its connections, sends on them
// what is due and checks what comes back. It allocates nothing once its
// connections are open.
type scheduler struct {
	options *Options
	checker checker
	source  source
	epoll   int
	timer   int
	wake    int
	events  []unix.EpollEvent
	buffer  []byte

	// batch is the request several times over, so that one write takes many.
	batch        []byte
	requestBytes int

	connections []connection
	// times of the requests that wait, depth of them for each connection: when
	// each was meant to be sent, and when it was.
	intended, sent []int64
	// ring holds the connections with room for a request, oldest first.
	ring        []int32
	ringHead    int
	ringLength  int
	opened      int
	connecting  int
	established int
	resting     int
	dead        int
	outstanding int

	base      time.Time
	nextCheck int64
	plan      plan
	issued    int64
	tally     *tally
	stop      *stop
}

const (
	bufferBytes = 256 << 10
	// batchBytes bounds the batch of requests longer than a few.
	batchBytes = 256 << 10
	// maxConnecting is how many connections are on their way at once: more may
	// be than a listener's queue holds.
	maxConnecting = 64
	maxEvents     = 512
	// timerEvent and wakeEvent stand where a connection's number would.
	timerEvent = -1
	wakeEvent  = -2
	// checkEvery is how often time-outs are looked for, in nanoseconds.
	checkEvery = 50e6
)

// newScheduler prepares count connections. stop's wake descriptor ends waits.
func newScheduler(o *Options, count int, number int, request []byte, stop *stop) (*scheduler, error) {
	copies := max(1, min(o.Depth, batchBytes/len(request)))
	s := &scheduler{
		options:      o,
		checker:      checker{protocol: protocolNamed(o.Protocol), expected: &o.Expected, known: make([]byte, 0, maxKnown)},
		source:       newSource(o.Seed+uint64(number)<<32, o.Server),
		wake:         stop.wake,
		events:       make([]unix.EpollEvent, maxEvents),
		buffer:       make([]byte, bufferBytes),
		batch:        make([]byte, 0, copies*len(request)),
		requestBytes: len(request),
		connections:  make([]connection, count),
		intended:     make([]int64, count*o.Depth),
		sent:         make([]int64, count*o.Depth),
		ring:         make([]int32, count),
		base:         time.Now(),
		nextCheck:    math.MaxInt64,
		stop:         stop,
	}
	for range copies {
		s.batch = append(s.batch, request...)
	}
	var err error
	if s.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if s.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC); err != nil {
		return nil, err
	}
	err = unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, s.timer, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: timerEvent})
	if err == nil {
		err = unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, s.wake, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: wakeEvent})
	}
	return s, err
}

// now is the time since the scheduler began, in nanoseconds of the monotonic
// clock.
func (s *scheduler) now() int64 { return int64(time.Since(s.base)) }

// close ends all connections.
func (s *scheduler) close() {
	for i := range s.connections {
		if c := &s.connections[i]; c.state == connecting || c.state == established {
			unix.Close(c.fd)
		}
	}
	unix.Close(s.timer)
	unix.Close(s.epoll)
}

// connect opens all connections and returns when each is established or given
// up.
func (s *scheduler) connect(t *tally) {
	s.tally = t
	s.plan = plan{}
	s.loop(func(int64) bool {
		return s.opened == len(s.connections) && s.connecting == 0 && s.resting == 0 || s.stop.asked()
	})
}

// run makes the requests of a plan, whose times count from now, and returns when
// the last has ended.
func (s *scheduler) run(p plan, t *tally) {
	s.tally = t
	s.issued = 0
	p.start += s.now()
	if p.deadline != 0 {
		p.deadline += p.start
	}
	s.plan = p
	s.loop(func(now int64) bool {
		if s.dead == len(s.connections) {
			if s.plan.deadline == 0 {
				s.tally.failures[noConnection] += s.plan.requests - s.issued
			}
			return true
		}
		return s.outstanding == 0 && (s.plan.over(s.issued, now) || s.stop.asked())
	})
	if s.plan.period > 0 {
		t.unsent = s.plan.due(s.now()) - s.issued
	}
}

// loop handles events until it is done.
func (s *scheduler) loop(done func(now int64) bool) {
	now := s.now()
	for {
		if now >= s.nextCheck {
			s.check(now)
		}
		s.dispatch(now)
		if done(now) {
			return
		}
		n, err := unix.EpollWait(s.epoll, s.events, s.patience(now))
		if err != nil && err != unix.EINTR {
			// Only a fault of this program can bring it here.
			panic("epoll_wait: " + err.Error())
		}
		now = s.now()
		for i := range max(n, 0) {
			now = s.handle(&s.events[i], now)
		}
	}
}

// patience is how long to wait for events, in milliseconds. An open loop's next
// request is awaited by a timer, because a millisecond is too coarse for it.
func (s *scheduler) patience(now int64) int {
	until := s.nextCheck
	if s.ringLength > 0 {
		if next := s.plan.next(s.issued); next < until {
			s.arm(max(next-now, 1))
		}
	}
	if s.plan.deadline > now {
		until = min(until, s.plan.deadline)
	}
	if until == math.MaxInt64 {
		return -1
	}
	return int(max(until-now+999999, 0) / 1e6)
}

func (s *scheduler) arm(ns int64) {
	unix.TimerfdSettime(s.timer, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(ns)}, nil)
}

// check opens what is to be opened, and ends what took too long.
func (s *scheduler) check(now int64) {
	s.nextCheck = now + checkEvery
	limit := now - int64(s.options.Timeout)
	for i := range s.connections {
		switch c := &s.connections[i]; c.state {
		case connecting:
			if c.changed < limit {
				s.abandon(c, timedOut, now)
			}
		case established:
			if c.waiting > 0 && s.sent[s.slot(i, 0)] < limit {
				s.lose(c, timedOut, now)
			}
		case resting:
			if c.retryAt > now || s.connecting >= maxConnecting {
				s.nextCheck = min(s.nextCheck, max(c.retryAt, now+1e6))
				break
			}
			s.resting--
			s.begin(i, now)
		}
	}
}

// slot is where a connection's nth waiting request has its times.
func (s *scheduler) slot(index, n int) int {
	at := s.connections[index].head + n
	if at >= s.options.Depth {
		at -= s.options.Depth
	}
	return index*s.options.Depth + at
}

// offer puts a connection with room at the end of the ring.
func (s *scheduler) offer(index int) {
	c := &s.connections[index]
	if c.inRing || c.state != established || c.waiting == s.options.Depth {
		return
	}
	at := s.ringHead + s.ringLength
	if at >= len(s.ring) {
		at -= len(s.ring)
	}
	s.ring[at] = int32(index)
	s.ringLength++
	c.inRing = true
}

func (s *scheduler) take() int {
	index := int(s.ring[s.ringHead])
	if s.ringHead++; s.ringHead == len(s.ring) {
		s.ringHead = 0
	}
	s.ringLength--
	s.connections[index].inRing = false
	return index
}

// dispatch sends what is due on the connections with room, as evenly as it can.
func (s *scheduler) dispatch(now int64) {
	for s.opened < len(s.connections) && s.connecting < maxConnecting {
		s.nextCheck = min(s.nextCheck, now+checkEvery)
		s.begin(s.opened, now)
		s.opened++
	}
	if s.stop.asked() || s.plan.over(s.issued, now) {
		return
	}
	for s.ringLength > 0 {
		due := s.plan.due(now) - s.issued
		if due <= 0 {
			return
		}
		room := int64(s.ringLength)
		share := due/room + extra(due%room > 0) // a sum would overflow where the plan has no end
		index := s.take()
		c := &s.connections[index]
		if c.state != established {
			continue
		}
		s.issue(index, int(min(share, int64(s.options.Depth-c.waiting))), now)
		s.offer(index)
	}
}

// issue sends n requests on a connection with room for them.
func (s *scheduler) issue(index, n int, now int64) {
	c := &s.connections[index]
	for range n {
		at := s.slot(index, c.waiting)
		s.intended[at] = s.plan.time(s.issued, now)
		s.sent[at] = now
		s.issued++
		c.waiting++
	}
	s.outstanding += n
	c.unsent += n * s.requestBytes
	if !c.stuck {
		s.flush(c, now)
	}
}

// handle takes one event and gives the time it last looked at.
func (s *scheduler) handle(event *unix.EpollEvent, now int64) int64 {
	if event.Fd < 0 {
		return now
	}
	index := int(event.Fd)
	c := &s.connections[index]
	if c.state == connecting {
		s.connected(index, event.Events, now)
	}
	if c.stuck && event.Events&unix.EPOLLOUT != 0 {
		c.stuck = false
		s.flush(c, now)
	}
	if event.Events&^unix.EPOLLOUT != 0 && c.state == established {
		now = s.read(index, event.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0)
	}
	return now
}

// read takes all there is. toTheEnd reads on until the end of the connection,
// which an edge has announced.
func (s *scheduler) read(index int, toTheEnd bool) (now int64) {
	c := &s.connections[index]
	for {
		n, errno := receive(c.fd, s.buffer)
		now = s.now()
		switch {
		case errno == unix.EAGAIN:
			return now
		case errno == unix.EINTR:
			continue
		case errno != 0:
			s.lose(c, failureOf(errno), now)
			return now
		case n == 0:
			s.lose(c, closed, now)
			return now
		}
		s.tally.receivedBytes += int64(n)
		if !s.replies(index, s.buffer[:n], now) {
			return now
		}
		s.offer(index)
		s.dispatch(now)
		if c.state != established || n < len(s.buffer) && !toTheEnd {
			return now
		}
	}
}

// replies takes the replies in data; false when the connection has ended.
func (s *scheduler) replies(index int, data []byte, now int64) bool {
	c := &s.connections[index]
	for len(data) > 0 {
		if c.waiting == 0 {
			s.tally.failures[unaskedReply] += 1
			s.lose(c, closed, now)
			return false
		}
		used, whole, verdict := c.reader.next(&s.checker, data)
		data = data[used:]
		if !whole {
			break
		}
		if verdict == badReply {
			s.lose(c, badReply, now)
			return false
		}
		at := s.slot(index, 0)
		if c.head++; c.head == s.options.Depth {
			c.head = 0
		}
		c.waiting--
		s.outstanding--
		c.attempts = 0
		if verdict == none {
			s.tally.complete(now, s.intended[at], s.sent[at])
		} else {
			s.tally.failures[verdict] += 1
		}
		if c.reader.last {
			s.lose(c, closed, now)
			return false
		}
	}
	return true
}
