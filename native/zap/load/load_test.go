package load

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"

	"nullius/zap/wire"
)

const good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// serveBy runs a server that gives each connection to a function, with the
// connection's number from 1 on, and closes it afterwards.
func serveBy(t *testing.T, answer func(number int, conn net.Conn)) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for number := 1; ; number++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				answer(number, conn)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).AddrPort()
}

// readRequest reads one request without a body, byte for byte as the loader
// sends it.
func readRequest(r io.Reader, want string) error {
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil {
		return err
	}
	if string(got) != want {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	return nil
}

func wanted(server net.Conn) string {
	return fmt.Sprintf("GET /health HTTP/1.1\r\nHost: %s\r\nUser-Agent: zap-load\r\n\r\n", server.LocalAddr())
}

// answering gives a server's loop: count answers, then the end.
func answering(conn net.Conn, count int, reply string) {
	r := bufio.NewReader(conn)
	for range count {
		if readRequest(r, wanted(conn)) != nil {
			return
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return
		}
	}
}

func optionsFor(server netip.AddrPort) Options {
	return Options{
		Server: server, Protocol: "http", Message: Message{Method: "GET", Target: "/health"},
		Connections: 4, Depth: 1, Processors: 1, Timeout: 10 * time.Second,
		Expected: Expected{Status: 200, Body: []byte("ok"), Known: true, Bytes: -1},
	}
}

// windows counts the calls of its two functions.
type windows struct{ opened, closed int }

func (w *windows) window() Window {
	return Window{Open: func() { w.opened++ }, Close: func() { w.closed++ }}
}

func run(t *testing.T, o Options) *Report {
	t.Helper()
	var w windows
	r, err := Run(o, w.window())
	if err != nil {
		t.Fatal(err)
	}
	if w.opened != 1 || w.closed != 1 {
		t.Fatalf("the window was opened %d times and closed %d times", w.opened, w.closed)
	}
	return r
}

func TestExactCounts(t *testing.T) {
	for _, processors := range []int{1, 3} {
		for _, depth := range []int{1, 16} {
			var served atomic.Int64
			server := serveBy(t, func(_ int, conn net.Conn) {
				r := bufio.NewReader(conn)
				for readRequest(r, wanted(conn)) == nil {
					served.Add(1)
					io.WriteString(conn, good)
				}
			})
			o := optionsFor(server)
			o.Connections, o.Depth, o.Processors = 7, depth, processors
			o.WarmupRequests, o.Requests = 101, 1001
			r := run(t, o)
			if r.Completed != 1001 || r.Failed != 0 || r.WarmupFailed != 0 || served.Load() != 1102 || r.Connections != 7 || r.Lost != 0 {
				t.Errorf("%d processors, depth %d: %d served, %+v", processors, depth, served.Load(), r)
			}
			if r.SentBytes != 1001*int64(r.RequestBytes) || r.ReceivedBytes != 1001*int64(len(good)) {
				t.Errorf("%d bytes sent and %d received", r.SentBytes, r.ReceivedBytes)
			}
			h, err := hdrhistogram.Decode([]byte(r.Histogram))
			if err != nil || h.TotalCount() != 1001 || r.LatencyNS.Min <= 0 || r.LatencyNS.P50 < r.LatencyNS.Min || r.LatencyNS.Max < r.LatencyNS.P999 {
				t.Errorf("histogram of %d values, %v, %+v", h.TotalCount(), err, r.LatencyNS)
			}
		}
	}
}

func TestZAPExactCounts(t *testing.T) {
	reply := zapReply(t, wire.Response{Status: 200, Body: []byte("ok")})
	server := serveBy(t, func(_ int, conn net.Conn) {
		var buffer []byte
		for {
			message, err := wire.ReadMessage(conn, buffer, 0)
			var request wire.Request
			if err != nil || request.Decode(message) != nil || string(request.Target) != "/health" {
				return
			}
			conn.Write(reply)
		}
	})
	o := optionsFor(server)
	o.Protocol, o.Depth, o.WarmupRequests, o.Requests = "zap", 8, 10, 500
	if r := run(t, o); r.Completed != 500 || r.Failed != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestFailuresByReason(t *testing.T) {
	lie := strings.Replace(good, "ok", "no", 1)
	for name, test := range map[string]struct {
		answer   func(number int, conn net.Conn)
		failures map[string]int64
		lost     int64
	}{
		"closes after ten": {func(n int, conn net.Conn) { answering(conn, 10, good) }, map[string]int64{}, 0},
		"lies":             {func(n int, conn net.Conn) { answering(conn, 1000, lie) }, map[string]int64{"wrong_body": 100}, 0},
		"fails": {func(n int, conn net.Conn) { answering(conn, 1000, "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nok") },
			map[string]int64{"wrong_status": 100}, 0},
		"dribbles": {func(n int, conn net.Conn) {
			for readRequest(conn, wanted(conn)) == nil {
				for i := range good {
					io.WriteString(conn, good[i:i+1])
				}
			}
		}, map[string]int64{}, 0},
		"says too much": {func(n int, conn net.Conn) { answering(conn, 1, good+"x"); io.Copy(io.Discard, conn) }, nil, -1},
		"noise":         {func(n int, conn net.Conn) { answering(conn, 1, "what?\r\n\r\n"); io.Copy(io.Discard, conn) }, nil, -1},
	} {
		t.Run(name, func(t *testing.T) {
			o := optionsFor(serveBy(t, test.answer))
			o.Connections, o.Requests = 1, 100
			r := run(t, o)
			if r.Completed+r.Failed < 100 {
				t.Errorf("%d completed and %d failed of 100", r.Completed, r.Failed)
			}
			if test.failures != nil && name != "closes after ten" && !maps.Equal(r.Failures, test.failures) {
				t.Errorf("failures %v, want %v", r.Failures, test.failures)
			}
			switch name {
			case "closes after ten":
				// The close is seen before or after the next request is sent.
				if r.Completed < 85 || r.Failures["closed"]+r.Failures["reset"] != r.Failed || r.Lost < 9 {
					t.Errorf("completed %d, lost %d, failures %v", r.Completed, r.Lost, r.Failures)
				}
			case "says too much":
				if r.Failures["unasked_reply"] == 0 && r.Failures["bad_reply"] == 0 {
					t.Errorf("failures %v", r.Failures)
				}
			case "noise":
				if r.Completed != 0 || r.Failures["bad_reply"] != maxAttempts || r.Failures["no_connection"] != 100-maxAttempts || r.Complaint == "" {
					t.Errorf("failures %v, complaint %q", r.Failures, r.Complaint)
				}
			}
		})
	}
}

func TestServerThatClosesAtOnce(t *testing.T) {
	o := optionsFor(serveBy(t, func(int, net.Conn) {}))
	o.Connections, o.Requests = 2, 50
	r, err := Run(o, Window{Open: func() {}, Close: func() {}})
	if err != nil {
		if !strings.Contains(err.Error(), "took no connection") {
			t.Fatal(err)
		}
		return
	}
	if r.Completed != 0 || r.Failed != 50 || r.Failures["no_connection"]+r.Failures["closed"]+r.Failures["reset"] != 50 {
		t.Errorf("got %+v", r)
	}
}

func TestNoServer(t *testing.T) {
	server := serveBy(t, func(int, net.Conn) {})
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server = gone.Addr().(*net.TCPAddr).AddrPort()
	gone.Close()
	o := optionsFor(server)
	o.Connections, o.Requests = 2, 50
	want := fmt.Sprintf("the server at %v took no connection: map[refused:%d]", server, 2*maxAttempts)
	if _, err := Run(o, Window{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSilentServerTimesOut(t *testing.T) {
	server := serveBy(t, func(_ int, conn net.Conn) { io.Copy(io.Discard, conn) })
	o := optionsFor(server)
	o.Connections, o.Depth, o.Requests, o.Timeout = 2, 3, 6, 60*time.Millisecond
	if r := run(t, o); r.Completed != 0 || !maps.Equal(r.Failures, map[string]int64{"timed_out": 6}) || r.Lost != 2 {
		t.Errorf("got %+v", r)
	}
}

func TestLearntReply(t *testing.T) {
	var changed atomic.Bool
	server := serveBy(t, func(number int, conn net.Conn) {
		if number == 1 {
			answering(conn, 1, good)
			return
		}
		answering(conn, 5, good)
		changed.Store(true)
		answering(conn, 1000, strings.Replace(good, "ok", "no", 1))
	})
	o := optionsFor(server)
	o.Connections, o.Requests = 1, 20
	o.Expected = Expected{Status: 200, Bytes: 2}
	if r := run(t, o); r.Completed != 5 || r.Failures["wrong_body"] != 15 {
		t.Errorf("got %+v", r)
	}
	o.Expected = Expected{Status: 200, Bytes: 3}
	if _, err := Run(o, Window{}); err == nil || !strings.Contains(err.Error(), "with 2 bytes, not 3") {
		t.Errorf("got %v", err)
	}
	o.Expected = Expected{Status: 201, Bytes: -1}
	if _, err := Run(o, Window{}); err == nil || !strings.Contains(err.Error(), "with the status 200, not 201") {
		t.Errorf("got %v", err)
	}
}

// A server that stops for a while makes all requests late that were due
// meanwhile, which only the time they were due at shows.
func TestOpenLoopIsCorrected(t *testing.T) {
	const stall = 400 * time.Millisecond
	var served atomic.Int64
	server := serveBy(t, func(_ int, conn net.Conn) {
		for readRequest(conn, wanted(conn)) == nil {
			if served.Add(1) == 100 {
				time.Sleep(stall)
			}
			io.WriteString(conn, good)
		}
	})
	o := optionsFor(server)
	o.Connections, o.Requests, o.Rate = 1, 500, 500
	r := run(t, o)
	if r.Completed != 500 || r.Failed != 0 {
		t.Fatalf("got %+v", r)
	}
	// 200 of 500 requests were due in the stall; one was under way.
	if r.LatencyNS.P99 < int64(stall*8/10) || r.LatencyNS.Max < int64(stall) {
		t.Errorf("the stall of %v does not show: %+v", stall, r.LatencyNS)
	}
	if r.UncorrectedNS.P99 >= int64(stall*8/10) {
		t.Errorf("without correction the stall shows in p99, so this test shows nothing: %+v", r.UncorrectedNS)
	}
	if *r.OfferedRate != 500 || r.AchievedRate > 501 {
		t.Errorf("offered %v, achieved %v", *r.OfferedRate, r.AchievedRate)
	}
}

func TestOfferedAboveAchieved(t *testing.T) {
	server := serveBy(t, func(_ int, conn net.Conn) {
		for readRequest(conn, wanted(conn)) == nil {
			time.Sleep(10 * time.Millisecond)
			io.WriteString(conn, good)
		}
	})
	o := optionsFor(server)
	o.Connections, o.Duration, o.Rate = 1, 300*time.Millisecond, 1000
	r := run(t, o)
	// One connection takes at most 100 requests per second.
	if r.Completed > 32 || r.Completed+r.Unsent != 300 || r.AchievedRate > 101 {
		t.Errorf("completed %d, unsent %d, achieved %v of %v", r.Completed, r.Unsent, r.AchievedRate, *r.OfferedRate)
	}
}

func TestOpenLoopOverThreads(t *testing.T) {
	server := serveBy(t, func(_ int, conn net.Conn) { answering(conn, 1<<30, good) })
	o := optionsFor(server)
	o.Connections, o.Processors, o.Requests, o.Rate = 3, 3, 100, 1000
	if r := run(t, o); r.Completed != 100 || r.WindowNS < 99e6 {
		t.Errorf("completed %d in %d ns", r.Completed, r.WindowNS)
	}
}

func TestSecondsEnd(t *testing.T) {
	server := serveBy(t, func(_ int, conn net.Conn) { answering(conn, 1<<30, good) })
	o := optionsFor(server)
	o.Depth, o.Duration = 4, 100*time.Millisecond
	if r := run(t, o); r.Completed == 0 || r.Failed != 0 || r.WindowNS < 90e6 || r.Unsent != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestStopEndsEarly(t *testing.T) {
	server := serveBy(t, func(_ int, conn net.Conn) { answering(conn, 1<<30, good) })
	o := optionsFor(server)
	o.Requests, o.Rate = 1<<30, 100
	opened := make(chan struct{})
	go func() {
		<-opened
		time.Sleep(20 * time.Millisecond)
		unix.Kill(os.Getpid(), unix.SIGTERM)
	}()
	r, err := Run(o, Window{Open: func() { close(opened) }, Close: func() {}})
	if err != nil || !r.Stopped || r.Failed != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestServerHearsOfTheWindow(t *testing.T) {
	server := serveBy(t, func(_ int, conn net.Conn) { answering(conn, 1<<30, good) })
	o := optionsFor(server)
	o.Requests, o.ServerPID, o.Signal, o.Settle = 10, os.Getpid(), true, 50*time.Millisecond
	heard := make(chan os.Signal, 8)
	notify(t, heard)
	r := run(t, o)
	for range 2 {
		select {
		case <-heard:
		case <-time.After(10 * time.Second):
			t.Fatal("the server was not told")
		}
	}
	if r.ServerCPUNS == nil || *r.ServerCPUNS < 0 || r.Segments == nil || *r.Segments < 20 {
		t.Errorf("CPU %v, segments %v", r.ServerCPUNS, r.Segments)
	}
}
