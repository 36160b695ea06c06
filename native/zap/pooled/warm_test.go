package pooled

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"nullius/zap/memory"
	"nullius/zap/serve"
	"nullius/zap/wire"
)

// bounded is the limits that the tests hold servers to, unless they test one.
func bounded() Limits {
	return Limits{Idle: 10 * time.Second, Head: 10 * time.Second, Body: 10 * time.Second, Write: 10 * time.Second,
		FrameBytes: 4 << 20, Connections: 1000}
}

// frame gives a framed request with a header.
func frame(t testing.TB, method, target string, content []byte) []byte {
	t.Helper()
	headers, err := wire.AppendHeaders(nil, []wire.Header{{Name: "User-Agent", Values: []string{"bench"}}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := wire.AppendFramedRequest(nil, &wire.Request{Method: []byte(method), Target: []byte(target),
		Proto: []byte("HTTP/1.1"), Headers: headers, Body: content})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// response reads one framed response.
func response(t testing.TB, from io.Reader) wire.Response {
	t.Helper()
	message, err := wire.ReadMessage(from, nil, 0)
	if err != nil {
		t.Fatalf("no response: %v", err)
	}
	var r wire.Response
	if err := r.Decode(message); err != nil {
		t.Fatal(err)
	}
	return r
}

// allocationsIn gives the allocations of the whole process while n requests are
// answered on a warm connection.
func allocationsIn(t *testing.T, request []byte, n, depth int) uint64 {
	const warm = 1 + 64
	var before, after runtime.MemStats
	conn := memory.NewConn(warm+n, depth, request)
	conn.AtRequests = warm
	conn.At = func() { runtime.ReadMemStats(&before) }
	conn.End = func() { runtime.ReadMemStats(&after) }
	New(Routes, bounded(), WritevAuto).ServeConn(conn)
	if answered, err := conn.Answered(); err != nil || answered != warm+n {
		t.Fatalf("%d of %d requests answered: %v", answered, warm+n, err)
	}
	return after.Mallocs - before.Mallocs
}

// underRace is set by a file that is built for the race detector only.
var underRace bool

func TestWarmConnectionAllocatesNothing(t *testing.T) {
	if underRace {
		t.Skip("the race detector makes pools forget")
	}
	rpc := serve.ExampleRecordCall()
	for name, request := range map[string][]byte{
		"health": frame(t, "GET", "/health", nil),
		"body":   frame(t, "GET", "/body/1000", nil),
		"writev": frame(t, "GET", "/body/100000", nil),
		"echo":   frame(t, "POST", "/echo", bytes.Repeat([]byte("e"), 1000)),
		"rpc":    frame(t, "POST", "/rpc", rpc),
		"404":    frame(t, "GET", "/", nil),
	} {
		for _, depth := range []int{1, 16} {
			// The runtime itself may allocate now and then: much less than once
			// in a hundred requests.
			if n := allocationsIn(t, request, 6400, depth); n > 64 {
				t.Errorf("%s at depth %d: %d allocations in 6400 requests", name, depth, n)
			}
		}
	}
}

func TestPipelinedRequestsAreWrittenTogether(t *testing.T) {
	conn := memory.NewConn(1001, 1000, frame(t, "GET", "/health", nil))
	New(Routes, bounded(), WritevAuto).ServeConn(conn)
	if answered, err := conn.Answered(); err != nil || answered != 1001 {
		t.Fatalf("%d answered: %v", answered, err)
	}
	// As many writes as it takes reads of 4 KiB, and one for the first request.
	if most := 2 + 1000*len(frame(t, "GET", "/health", nil))/firstBytes; conn.Writes > most+1 {
		t.Errorf("%d writes for 1001 requests, expected at most %d", conn.Writes, most+1)
	}
}

func start(t testing.TB, s *Server) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Drain(5 * time.Second)
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

func TestRealSocketAllocatesNothing(t *testing.T) {
	conn := dial(t, start(t, New(Routes, bounded(), WritevAuto)))
	request := bytes.Repeat(frame(t, "GET", "/health", nil), 4)
	reply := make([]byte, 4096)
	exchange := func() {
		if _, err := conn.Write(request); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, reply[:4*126]); err != nil {
			t.Fatal(err)
		}
	}
	exchange()
	if n := testing.AllocsPerRun(2000, exchange); n != 0 {
		t.Errorf("%v allocations for four requests, client included", n)
	}
}

// plainClient connects without package net, so that what is allocated is the
// server's.
func plainClient(t *testing.T, to *unix.SockaddrInet4) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Connect(fd, to)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestNewConnectionAllocatesLittle opens many connections that stay open, and
// then as many again, for which the memory of the first is there.
func TestNewConnectionAllocatesLittle(t *testing.T) {
	if underRace {
		t.Skip("the race detector makes pools forget")
	}
	const connections = 200
	const most = 11_000
	s := New(Routes, bounded(), WritevAuto)
	port := netip.MustParseAddrPort(start(t, s)).Port()
	to := &unix.SockaddrInet4{Port: int(port), Addr: [4]byte{127, 0, 0, 1}}
	request := frame(t, "GET", "/health", nil)
	reply := make([]byte, 4096)
	clients := make([]int, connections)
	for round := range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range clients {
			clients[i] = plainClient(t, to)
			if _, err := unix.Write(clients[i], request); err != nil {
				t.Fatal(err)
			}
			if n, err := unix.Read(clients[i], reply); n != 126 || err != nil {
				t.Fatal(n, err)
			}
		}
		runtime.ReadMemStats(&after)
		per := (after.TotalAlloc - before.TotalAlloc) / connections
		t.Logf("round %d: %d bytes in %d allocations for each connection", round, per, (after.Mallocs-before.Mallocs)/connections)
		if per > most {
			t.Errorf("round %d: %d bytes allocated for each new connection, expected at most %d", round, per, most)
		}
		for _, fd := range clients {
			unix.Close(fd)
		}
		for limit := time.Now().Add(5 * time.Second); s.openConnections() > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("%d connections are still open", s.openConnections())
			}
		}
	}
}
