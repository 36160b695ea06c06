package pooled

import (
	"io"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket reads and writes a TCP connection by system calls of its own, within
// one call of RawConn.Read that lasts as long as the connection. That saves,
// for each request, telling Go's scheduler of two calls that do not block, and
// one call that would only find that nothing more has arrived: TCP_INQ has the
// kernel say with each read whether anything, be it the client's end, is left.
// (A read that is shorter than its buffer does not say so: an end that came with
// the last bytes wakes nobody a second time.)
//
// No wake-up is lost between a read and the wait: Go's poller remembers one that
// came meanwhile, as long as no other RawConn.Read begins.
type socket struct {
	connection *connection
	raw        syscall.RawConn // nil: not usable
	descriptor uintptr         // good within the call of raw.Read only
	readable   func(uintptr) bool
	prepare    func(uintptr)
	prepared   bool
	control    [4]uint64 // a control message with an int, aligned

	incoming unix.Msghdr
	room     unix.Iovec
	outgoing unix.Msghdr
	pieces   [2]unix.Iovec
}

// init is for a new connection; the functions are made once, since making them
// allocates.
func (s *socket) init(c *connection) {
	s.connection = c
	s.readable = s.onReadable
	s.prepare = func(descriptor uintptr) {
		s.prepared = unix.SetsockoptInt(int(descriptor), unix.SOL_TCP, unix.TCP_INQ, 1) == nil
	}
	s.incoming.Iov = &s.room
	s.incoming.Iovlen = 1
	s.incoming.Control = (*byte)(unsafe.Pointer(&s.control))
	s.outgoing.Iov = &s.pieces[0]
	s.outgoing.Iovlen = 2
}

// begin reports whether the connection is one that this can serve.
func (s *socket) begin(conn net.Conn) bool {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil || raw.Control(s.prepare) != nil || !s.prepared {
		return false
	}
	s.raw = raw
	return true
}

func (s *socket) forget() {
	s.raw, s.room.Base = nil, nil
}

func (s *socket) usable() bool { return s.raw != nil }

// run answers until the connection has a reason to be closed.
func (s *socket) run() {
	c := s.connection
	for c.failure == nil {
		if err := s.raw.Read(s.readable); err != nil {
			c.received(0, err)
		}
	}
}

// onReadable reads and answers all that has arrived. It reports true when
// there is a reason to close, and false to be called again when more arrives.
func (s *socket) onReadable(descriptor uintptr) bool {
	s.descriptor = descriptor
	c := s.connection
	for {
		n, more, err := s.receive(c.room())
		c.received(n, err)
		if c.failure != nil {
			return true
		}
		if !more {
			c.wait()
			return false
		}
	}
}

// receive reads what has arrived into room and says whether there may be more.
func (s *socket) receive(room []byte) (n int, more bool, err error) {
	s.room.Base = &room[0]
	s.room.SetLen(len(room))
	s.incoming.SetControllen(int(unsafe.Sizeof(s.control)))
	r, _, e := unix.RawSyscall(unix.SYS_RECVMSG, s.descriptor, uintptr(unsafe.Pointer(&s.incoming)), unix.MSG_DONTWAIT)
	switch {
	case e == unix.EAGAIN:
		return 0, false, nil
	case e == unix.EINTR:
		return 0, true, nil
	case e != 0:
		return 0, false, e
	case r == 0:
		return 0, false, io.EOF
	}
	header := (*unix.Cmsghdr)(unsafe.Pointer(&s.control))
	told := s.incoming.Controllen != 0 && header.Level == unix.SOL_TCP && header.Type == unix.TCP_CM_INQ
	left := (*int32)(unsafe.Add(unsafe.Pointer(&s.control), unix.SizeofCmsghdr))
	return int(r), !told || *left != 0, nil
}

// send writes what the kernel takes at once.
func (s *socket) send(b []byte) (n int, err error) {
	for {
		r, _, e := unix.RawSyscall6(unix.SYS_SENDTO, s.descriptor, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), sendFlags, 0, 0)
		if e != unix.EINTR {
			return sent(r, e)
		}
	}
}

// sendBoth is send for two pieces, neither empty, one after the other.
func (s *socket) sendBoth(first, second []byte) (n int, err error) {
	s.pieces[0].Base, s.pieces[1].Base = &first[0], &second[0]
	s.pieces[0].SetLen(len(first))
	s.pieces[1].SetLen(len(second))
	for {
		r, _, e := unix.RawSyscall(unix.SYS_SENDMSG, s.descriptor, uintptr(unsafe.Pointer(&s.outgoing)), sendFlags)
		if e != unix.EINTR {
			s.pieces[0].Base, s.pieces[1].Base = nil, nil
			return sent(r, e)
		}
	}
}

const sendFlags = unix.MSG_DONTWAIT | unix.MSG_NOSIGNAL

func sent(n uintptr, e unix.Errno) (int, error) {
	switch e {
	case 0:
		return int(n), nil
	case unix.EAGAIN:
		return 0, nil
	}
	return 0, e
}
