package serve

import (
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCongestionControl: what a connection takes over from its listener.
func TestCongestionControl(t *testing.T) {
	if allowed, err := os.ReadFile("/proc/sys/net/ipv4/tcp_allowed_congestion_control"); err == nil && !slices.Contains(strings.Fields(string(allowed)), "cubic") {
		t.Skip("this kernel does not allow cubic")
	}
	listener, err := Listen(Defaults())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var name string
	raw.Control(func(descriptor uintptr) {
		name, err = unix.GetsockoptString(int(descriptor), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	})
	if err != nil || name != "cubic" {
		t.Errorf("the congestion control is %q, %v", name, err)
	}
}
