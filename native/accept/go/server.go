package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// requestLimit is how many bytes are read at most before a request is given up.
	requestLimit = 256
	// soReusePort is SO_REUSEPORT, which package syscall lacks on some architectures.
	soReusePort = 15
	// acceptPause is how long the listener rests when there are no descriptors left.
	acceptPause = 10 * time.Millisecond
)

var (
	requestEnd = []byte("\r\n\r\n")
	reply      = []byte("HTTP/1.0 200 OK\r\n\r\n")
)

// server answers each connection in a goroutine of its own.
type server struct {
	listener                   net.Listener
	open                       sync.WaitGroup
	accepted, replied, refused atomic.Int64
}

// report is the line a server prints when it has stopped. Go's runtime hides its system calls, so there is no count of them.
type report struct {
	Path     string `json:"path"`
	Accepted int64  `json:"accepted"`
	Replied  int64  `json:"replied"`
	Refused  int64  `json:"refused"`
}

// listen opens the listener. The error names the address.
func listen(address string, port int, multipath bool) (*server, error) {
	config := net.ListenConfig{Control: func(_, _ string, connection syscall.RawConn) error {
		var set error
		err := connection.Control(func(descriptor uintptr) {
			set = syscall.SetsockoptInt(int(descriptor), syscall.SOL_SOCKET, soReusePort, 1)
		})
		return errors.Join(err, set)
	}}
	config.SetMultipathTCP(multipath)
	listener, err := config.Listen(context.Background(), "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &server{listener: listener}, nil
}

// port is where it listens.
func (s *server) port() int {
	return s.listener.Addr().(*net.TCPAddr).Port
}

// serve accepts until the listener is closed.
func (s *server) serve() {
	for {
		connection, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(acceptPause)
			continue
		}
		s.accepted.Add(1)
		s.open.Add(1)
		go s.answer(connection)
	}
}

// answer reads one request, however it is split, replies and closes.
func (s *server) answer(connection net.Conn) {
	defer s.open.Done()
	defer connection.Close()
	var request [requestLimit]byte
	for received := 0; ; {
		got, err := connection.Read(request[received:])
		received += got
		if bytes.HasSuffix(request[:received], requestEnd) {
			break
		}
		if err != nil {
			return
		}
		if received == requestLimit {
			s.refused.Add(1)
			return
		}
	}
	if _, err := connection.Write(reply); err == nil {
		s.replied.Add(1)
	}
}

// drain closes the listener and waits, at most for the limit, until the open connections have ended.
func (s *server) drain(limit time.Duration) {
	s.listener.Close()
	done := make(chan struct{})
	go func() { s.open.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

func (s *server) report() report {
	return report{
		Path:     "one goroutine per connection, SO_REUSEPORT",
		Accepted: s.accepted.Load(),
		Replied:  s.replied.Load(),
		Refused:  s.refused.Load(),
	}
}
