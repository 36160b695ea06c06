package load

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sockets never block here, so Go's scheduler need not hear of their calls.

// receive reads what is there: errno EAGAIN when nothing is, n = 0 at the end.
func receive(fd int, b []byte) (n int, errno unix.Errno) {
	r, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(r), errno
}

// send writes as much as there is room for.
func send(fd int, b []byte) (n int, errno unix.Errno) {
	r, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(r), errno
}

func sockaddrOf(address netip.AddrPort) unix.Sockaddr {
	if address.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(address.Port()), Addr: address.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(address.Port()), Addr: address.Addr().As16()}
}

func familyOf(address netip.AddrPort) int {
	if address.Addr().Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

// open gives a socket on its way to the server, without delays of Nagle's.
func open(server netip.AddrPort, from *source, flags int) (fd int, err error) {
	fd, err = unix.Socket(familyOf(server), unix.SOCK_STREAM|unix.SOCK_CLOEXEC|flags, 0)
	if err != nil {
		return -1, err
	}
	if err = from.bind(fd); err == nil {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	if err == nil {
		err = unix.Connect(fd, sockaddrOf(server))
	}
	if err != nil && err != unix.EINPROGRESS {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// failureOf says what an error of a socket means for its requests.
func failureOf(err error) failure {
	switch err {
	case unix.ECONNREFUSED, unix.ENETUNREACH, unix.EHOSTUNREACH:
		return refused
	case unix.ETIMEDOUT:
		return timedOut
	case unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.EADDRINUSE, unix.EADDRNOTAVAIL, unix.EACCES:
		return noSocket
	}
	return reset
}
