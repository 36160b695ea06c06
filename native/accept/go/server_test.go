package main

import (
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const request = "GET / HTTP/1.0\r\n\r\n"

// start serves on a free port until the test ends.
func start(t *testing.T) *server {
	t.Helper()
	s, err := listen("127.0.0.1", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	go s.serve()
	t.Cleanup(func() { s.listener.Close() })
	return s
}

func dial(t *testing.T, s *server) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(s.port()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	connection.SetDeadline(time.Now().Add(20 * time.Second))
	return connection
}

func readAll(t *testing.T, connection net.Conn) string {
	t.Helper()
	got, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func TestContractSizes(t *testing.T) {
	if len(request) != 18 || len(reply) != 19 {
		t.Fatalf("the contract is 18 bytes and 19, not %d and %d", len(request), len(reply))
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	s := start(t)
	const clients, each = 32, 50
	var all sync.WaitGroup
	failures := make(chan string, clients*each)
	for range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			for range each {
				connection, err := net.Dial("tcp", s.listener.Addr().String())
				if err != nil {
					failures <- err.Error()
					continue
				}
				io.WriteString(connection, request)
				if got, err := io.ReadAll(connection); err != nil || string(got) != string(reply) {
					failures <- string(got)
				}
				connection.Close()
			}
		}()
	}
	all.Wait()
	if len(failures) > 0 {
		t.Fatalf("%d failed, the first with %q", len(failures), <-failures)
	}
	s.drain(20 * time.Second)
	if got := s.report(); got.Accepted != clients*each || got.Replied != clients*each {
		t.Fatalf("counted %+v", got)
	}
}

func TestSplitRequest(t *testing.T) {
	s := start(t)
	connection := dial(t, s)
	for i := range len(request) {
		if _, err := io.WriteString(connection, request[i:i+1]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if got := readAll(t, connection); got != string(reply) {
		t.Fatalf("got %q", got)
	}
}

func TestEndlessRequestIsRefused(t *testing.T) {
	s := start(t)
	connection := dial(t, s)
	io.WriteString(connection, strings.Repeat("x", requestLimit))
	if got := readAll(t, connection); got != "" {
		t.Fatalf("got %q", got)
	}
	s.drain(20 * time.Second)
	if got := s.report(); got.Refused != 1 || got.Replied != 0 {
		t.Fatalf("counted %+v", got)
	}
}

func TestHalfARequestIsNotAnswered(t *testing.T) {
	s := start(t)
	connection := dial(t, s)
	io.WriteString(connection, request[:7])
	connection.(*net.TCPConn).CloseWrite()
	if got := readAll(t, connection); got != "" {
		t.Fatalf("got %q", got)
	}
}

func TestDrainWaitsForOpenConnections(t *testing.T) {
	s := start(t)
	connection := dial(t, s)
	io.WriteString(connection, request[:5])
	for s.accepted.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	drained := make(chan struct{})
	go func() { s.drain(20 * time.Second); close(drained) }()
	select {
	case <-drained:
		t.Fatal("drained with a connection open")
	case <-time.After(50 * time.Millisecond):
	}
	io.WriteString(connection, request[5:])
	if got := readAll(t, connection); got != string(reply) {
		t.Fatalf("got %q", got)
	}
	<-drained
}

func TestDrainIsBounded(t *testing.T) {
	s := start(t)
	dial(t, s)
	for s.accepted.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	s.drain(10 * time.Millisecond)
	if got := s.report(); got.Accepted != 1 || got.Replied != 0 {
		t.Fatalf("counted %+v", got)
	}
}

func TestTwoListenersShareAPort(t *testing.T) {
	s := start(t)
	other, err := listen("127.0.0.1", s.port(), false)
	if err != nil {
		t.Fatalf("SO_REUSEPORT is not set: %v", err)
	}
	other.listener.Close()
}
