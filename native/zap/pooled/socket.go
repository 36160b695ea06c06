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
	message    unix.Msghdr
	piece      unix.Iovec
	control    [4]uint64 // a control message with an int, aligned
}

// init is for a new connection; the functions are made once, since making them
// allocates.
func (s *socket) init(c *connection) {
	s.connection = c
	s.readable = s.onReadable
	s.prepare = func(descriptor uintptr) {
		s.prepared = unix.SetsockoptInt(int(descriptor), unix.SOL_TCP, unix.TCP_INQ, 1) == nil
	}
	s.message.Iov = &s.piece
	s.message.Iovlen = 1
	s.message.Control = (*byte)(unsafe.Pointer(&s.control))
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
	s.raw, s.piece.Base = nil, nil
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
	s.piece.Base = &room[0]
	s.piece.SetLen(len(room))
	s.message.SetControllen(int(unsafe.Sizeof(s.control)))
	r, _, e := unix.RawSyscall(unix.SYS_RECVMSG, s.descriptor, uintptr(unsafe.Pointer(&s.message)), unix.MSG_DONTWAIT)
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
	told := s.message.Controllen != 0 && header.Level == unix.SOL_TCP && header.Type == unix.TCP_CM_INQ
	left := (*int32)(unsafe.Add(unsafe.Pointer(&s.control), unix.SizeofCmsghdr))
	return int(r), !told || *left != 0, nil
}

// send writes what the kernel takes at once.
func (s *socket) send(b []byte) (n int, err error) {
	for {
		r, _, e := unix.RawSyscall6(unix.SYS_SENDTO, s.descriptor, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
			unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch e {
		case 0:
			return int(r), nil
		case unix.EAGAIN:
			return 0, nil
		case unix.EINTR:
		default:
			return 0, e
		}
	}
}
