package load

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

const (
	// Below Linux's ephemeral range, above the privileged ports.
	firstPort   = 16384
	sourcePorts = 16384
	// A port may be taken by a listener on all addresses.
	bindAttempts = 64
)

// source gives connections their addresses and ports in a fixed order, so that
// no random search of the kernel and no reused pair disturbs a measurement.
// Only a server in 127/8 gets bound sources; for others the kernel chooses.
type source struct {
	used    bool
	address uint32
	port    int
	left    int
}

func mix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

func newSource(seed uint64, server netip.AddrPort) source {
	if !server.Addr().Is4() || server.Addr().As4()[0] != 127 {
		return source{}
	}
	start := mix(seed ^ mix(uint64(server.Port())))
	return source{used: true, address: uint32(start >> 32), port: int(start % sourcePorts), left: sourcePorts}
}

// sockaddr gives 127.1.0.1 to 127.254.255.254: never 127.0.0.1, where servers
// listen, nor a last byte of 0 or 255.
func (s *source) sockaddr() *unix.SockaddrInet4 {
	n := s.address
	return &unix.SockaddrInet4{Port: firstPort + s.port, Addr: [4]byte{127, byte(1 + n/254/256%254), byte(n / 254 % 256), byte(1 + n%254)}}
}

func (s *source) bind(fd int) error {
	if !s.used {
		return nil
	}
	err := error(unix.EADDRINUSE)
	for n := 0; n < bindAttempts && err == unix.EADDRINUSE; n++ {
		err = unix.Bind(fd, s.sockaddr())
		s.port = (s.port + 1) % sourcePorts
		if s.left--; s.left == 0 {
			s.left = sourcePorts
			s.address++
		}
	}
	return err
}
