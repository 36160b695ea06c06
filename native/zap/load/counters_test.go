package load

import (
	"os"
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"
)

func notify(t *testing.T, heard chan os.Signal) {
	signal.Notify(heard, unix.SIGUSR1)
	t.Cleanup(func() { signal.Stop(heard) })
}

func TestTCPColumn(t *testing.T) {
	const text = "Ip: Forwarding OutSegs\nIp: 1 7\nTcp: InSegs OutSegs RetransSegs\nTcp: 11 22 33\nUdp: OutSegs\nUdp: 9\n"
	for name, want := range map[string]int64{"InSegs": 11, "OutSegs": 22, "RetransSegs": 33, "Nothing": -1} {
		if got := tcpColumn(text, name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	for _, text := range []string{"", "Tcp: OutSegs\n", "Tcp: A OutSegs\nTcp: 1\n", "Tcp: OutSegs\nTcp: x\n"} {
		if got := tcpColumn(text, "OutSegs"); got != -1 {
			t.Errorf("%q gave %d", text, got)
		}
	}
}

func TestProcessTime(t *testing.T) {
	if processTime(0) != -1 || processTime(1<<30) != -1 {
		t.Error("there is no such process")
	}
	if segmentsOut() < 0 || ownTime() <= 0 {
		t.Errorf("segments %d, own time %d", segmentsOut(), ownTime())
	}
}
