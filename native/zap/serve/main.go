package serve

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// drainTime is how long SIGTERM waits for what is open.
const drainTime = 2 * time.Second

// Server is one way to answer requests.
type Server interface {
	// Path says what this is, with versions.
	Path() string
	// Serve accepts until Drain, then gives nil.
	Serve(net.Listener) error
	// Drain takes no new connections, lets requests that have begun end and
	// closes all connections, at most after the limit. It returns when no
	// goroutine of the server is left or the limit has run out.
	Drain(limit time.Duration)
	// Counts may be called at any time.
	Counts() Counts
}

// Main is a server's program: it reads the options, says `listening PORT` on
// standard error, serves, takes the readings at the first and the second
// SIGUSR1, and on SIGTERM or SIGINT drains and prints the report as one line of
// JSON. define may add flags, and may be nil. It does not return: it exits with
// 0, 1 if serving failed or 2 on bad arguments.
func Main(name string, define func(*flag.FlagSet), build func(Options) (Server, error)) {
	options := Defaults()
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	options.Define(flags)
	if define != nil {
		define(flags)
	}
	if flags.Parse(os.Args[1:]) != nil {
		os.Exit(2)
	}
	err := options.Check()
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("there is nothing but options, and %q is none", flags.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGUSR1)
	if err := run(options, build, signals, os.Stderr, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run is Main without the process: what comes in as signals, and the two
// outputs, are the caller's.
func run(o Options, build func(Options) (Server, error), signals <-chan os.Signal, status, output io.Writer) error {
	runtime.GOMAXPROCS(o.Processors)
	debug.SetGCPercent(int(o.Collector))
	server, err := build(o)
	if err != nil {
		return err
	}
	listener, err := Listen(o)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Fprintln(status, "listening", listener.Addr().(*net.TCPAddr).Port)

	w := window{server: server}
	for {
		select {
		case err := <-failed:
			if err == nil {
				err = fmt.Errorf("the server ended without being told to")
			}
			return err
		case s := <-signals:
			if s == syscall.SIGUSR1 {
				w.turn()
				continue
			}
		}
		break
	}
	server.Drain(drainTime)
	return json.NewEncoder(output).Encode(Report{Path: server.Path(), Counts: server.Counts(), Window: w.result})
}

// Listen opens the listener. It is plain TCP, as the controls of other
// languages are: Go's own default would be multipath TCP. Its connections use
// Linux's usual congestion control: a host that prefers BBR paces even loopback
// by timers, and whether a large body meets them decides more than the server.
func Listen(o Options) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(descriptor uintptr) {
			// A kernel built without it keeps its own.
			unix.SetsockoptString(int(descriptor), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "cubic")
		})
	}}
	config.SetMultipathTCP(false)
	return config.Listen(context.Background(), "tcp", net.JoinHostPort(o.Address, strconv.Itoa(o.Port)))
}

// window opens at its first turn and closes at its second; later ones are
// ignored.
type window struct {
	server        Server
	first, second Reading
	replied       int64
	turns         int
	result        *Window
}

func (w *window) turn() {
	switch w.turns++; w.turns {
	case 1:
		w.replied = w.server.Counts().Replied
		w.first.Take()
	case 2:
		w.second.Take()
		result := w.second.Since(&w.first)
		result.Requests = w.server.Counts().Replied - w.replied
		w.result = &result
	}
}
