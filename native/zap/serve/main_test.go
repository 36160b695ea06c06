package serve

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// one is a server that counts a request for each byte it reads.
type one struct {
	done    Counts
	mu      sync.Mutex
	stop    chan struct{}
	counted chan struct{}
}

func (s *one) Path() string { return "a test" }
func (s *one) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}
func (s *one) Drain(time.Duration) { close(s.stop) }
func (s *one) Serve(l net.Listener) error {
	go func() { <-s.stop; l.Close() }()
	conn, err := l.Accept()
	if err != nil {
		return nil
	}
	defer conn.Close()
	for b := make([]byte, 1); ; {
		if _, err := conn.Read(b); err != nil {
			<-s.stop
			return nil
		}
		s.mu.Lock()
		s.done.Replied++
		s.mu.Unlock()
		s.counted <- struct{}{}
	}
}

// TestLife starts a server, opens and closes the window and stops it.
func TestLife(t *testing.T) {
	o := Defaults()
	signals := make(chan os.Signal)
	statusOut, status := io.Pipe()
	var output strings.Builder
	s := &one{stop: make(chan struct{}), counted: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		ended <- run(o, func(Options) (Server, error) { return s, nil }, signals, status, &output)
	}()
	line, err := bufio.NewReader(statusOut).ReadString('\n')
	var port int
	if _, scanErr := fmt.Sscanf(line, "listening %d\n", &port); err != nil || scanErr != nil {
		t.Fatalf("%q %v %v", line, err, scanErr)
	}
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	request := func(n int) {
		for range n {
			conn.Write([]byte{1})
			<-s.counted
		}
	}
	request(2)
	signals <- syscall.SIGUSR1
	request(3)
	signals <- syscall.SIGUSR1
	signals <- syscall.SIGUSR1
	request(1)
	conn.Close()
	signals <- syscall.SIGTERM
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal([]byte(output.String()), &report); err != nil || strings.Count(output.String(), "\n") != 1 {
		t.Fatalf("%q %v", output.String(), err)
	}
	readings, ok := report["window"].(map[string]any)
	if !ok || report["path"] != "a test" || report["replied"] != 6.0 {
		t.Fatalf("%v", report)
	}
	for _, name := range []string{"requests", "collections", "pause_ns", "allocations", "allocated_bytes", "cpu_ns", "seconds"} {
		if _, ok := readings[name].(float64); !ok {
			t.Errorf("no %s in %v", name, readings)
		}
	}
}

// TestWindow is between the first two turns.
func TestWindow(t *testing.T) {
	s := &one{}
	w := window{server: s}
	for _, answered := range []int64{5, 3, 7} {
		s.done.Replied += answered
		w.turn()
		if open := w.result == nil; open != (answered == 5) {
			t.Fatalf("after %d", answered)
		}
	}
	if w.result.Requests != 3 || w.result.Seconds <= 0 || w.result.CPUNS <= 0 {
		t.Errorf("%+v", w.result)
	}
}

// TestNoWindow has no window in the report when none was asked for.
func TestNoWindow(t *testing.T) {
	text, err := json.Marshal(Report{Path: "p"})
	if err != nil || strings.Contains(string(text), "window") {
		t.Errorf("%s %v", text, err)
	}
}

func TestOptions(t *testing.T) {
	parse := func(arguments ...string) (Options, error) {
		o := Defaults()
		flags := flag.NewFlagSet("test", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		o.Define(flags)
		if err := flags.Parse(arguments); err != nil {
			return o, err
		}
		return o, o.Check()
	}
	o, err := parse("--port", "0", "--gogc", "off", "--timeout-ms", "250", "--frame-limit", "1000", "--connections", "7", "--processors", "2", "--address", "::1")
	want := Options{Address: "::1", Collector: -1, Processors: 2, Timeout: 250 * time.Millisecond, FrameLimit: 1000, Connections: 7}
	if err != nil || o != want {
		t.Errorf("%+v %v", o, err)
	}
	for _, wrong := range []string{"--port 65536", "--port -1", "--gogc x", "--gogc -5", "--timeout-ms -1", "--timeout-ms x", "--frame-limit 0",
		"--frame-limit 67108865", "--connections 0", "--processors 0", "--no-such"} {
		if _, err := parse(strings.Fields(wrong)...); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

// TestReadingCountsEveryAllocation would fail with readings that miss what a
// processor has not yet reported.
func TestReadingCountsEveryAllocation(t *testing.T) {
	var first, second Reading
	first.Take()
	for range 3 {
		kept = new([64]byte)
	}
	second.Take()
	w := second.Since(&first)
	if w.Allocations < 3 || w.Allocations > 30 || w.AllocatedBytes < 3*64 {
		t.Errorf("%+v", w)
	}
	if n := testing.AllocsPerRun(10, first.Take); n != 0 {
		t.Errorf("a reading allocates %v times", n)
	}
}

var kept *[64]byte
