package load

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"
)

// Options says what is asked of the server, how often, and when to stop.
type Options struct {
	Server netip.AddrPort
	// Protocol is "http" or "zap".
	Protocol string
	Message  Message

	Connections int
	// Depth is how many requests may wait for their replies on one connection.
	Depth int
	// WarmupRequests are made, closed loop, before the window opens.
	WarmupRequests int64
	// Requests is how many the window has; with 0 it lasts for Duration.
	Requests int64
	Duration time.Duration
	// Rate is requests per second of the open loop; 0 is the closed loop.
	Rate float64

	Expected Expected

	// Timeout is how long a reply or a connection may take.
	Timeout time.Duration
	// Settle is how long the server is left alone at both edges of the window.
	Settle time.Duration
	// ServerPID is whose CPU time is read; 0 is nobody's.
	ServerPID int
	// Signal sends SIGUSR1 to ServerPID at both edges of the window.
	Signal bool
	// Seed is where source addresses and ports begin.
	Seed uint64
	// Processors is how many threads send and receive.
	Processors int
}

// Limits of what the options may say. A body's is that of the format ZAP.
const (
	maxConnections = 65536
	maxDepth       = 4096
	maxBody        = 64 << 20
	maxProcessors  = 64
	maxRequests    = 1 << 40
	maxRate        = 1e8
)

// Parse reads the command line. Its errors are one sentence each.
func Parse(arguments []string) (Options, error) {
	o := Options{}
	flags := flag.NewFlagSet("zap-load", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	address := flags.String("address", "127.0.0.1", "IPv4 or IPv6 `address` of the server")
	port := flags.Int("port", 0, "the server's port")
	flags.StringVar(&o.Protocol, "protocol", "http", "http or zap")
	flags.IntVar(&o.Connections, "connections", 64, "connections, kept open")
	flags.IntVar(&o.Depth, "depth", 1, "requests waiting for a reply on one connection")
	flags.Int64Var(&o.WarmupRequests, "warmup-requests", 1000, "requests before the window")
	flags.Int64Var(&o.Requests, "requests", 0, "requests in the window")
	seconds := flags.Float64("seconds", 0, "length of the window, in place of --requests")
	flags.Float64Var(&o.Rate, "rate", 0, "requests per second of an open loop; 0 is a closed loop")
	timeout := flags.Int64("timeout-ms", 10000, "how long a reply may take")
	settle := flags.Int64("settle-ms", 10, "pause at both edges of the window")
	flags.IntVar(&o.ServerPID, "server-pid", 0, "process whose CPU time is read")
	flags.BoolVar(&o.Signal, "signal", true, "send SIGUSR1 to --server-pid at both edges of the window")
	flags.Uint64Var(&o.Seed, "seed", 0, "where source addresses begin")
	flags.IntVar(&o.Processors, "processors", 1, "threads that send and receive")
	body := defineMessage(flags, &o.Message)
	expected := defineExpected(flags, &o.Expected)

	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, errors.New("the options are " + names(flags))
		}
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("there is nothing but options, and %q is none", flags.Arg(0))
	}
	ip, err := netip.ParseAddr(*address)
	if err != nil {
		return o, fmt.Errorf("--address %q is neither an IPv4 nor an IPv6 address", *address)
	}
	if *port < 1 || *port > 65535 {
		return o, fmt.Errorf("--port is %d, it must be from 1 to 65535", *port)
	}
	o.Server = netip.AddrPortFrom(ip.Unmap(), uint16(*port))
	o.Timeout = time.Duration(*timeout) * time.Millisecond
	o.Settle = time.Duration(*settle) * time.Millisecond
	if !(*seconds >= 0 && *seconds <= 86400) {
		return o, fmt.Errorf("--seconds is %v, it must be from 0 to 86400", *seconds)
	}
	o.Duration = time.Duration(*seconds * float64(time.Second))
	if err := o.check(); err != nil {
		return o, err
	}
	if err := body.complete(&o.Message); err != nil {
		return o, err
	}
	return o, expected.complete(&o.Expected, &o.Message)
}

func names(flags *flag.FlagSet) string {
	var all []string
	flags.VisitAll(func(f *flag.Flag) { all = append(all, "--"+f.Name) })
	return strings.Join(all, " ")
}

func (o *Options) check() error {
	ranges := []struct {
		name      string
		value     int64
		low, high int64
	}{
		{"connections", int64(o.Connections), 1, maxConnections},
		{"depth", int64(o.Depth), 1, maxDepth},
		{"warmup-requests", o.WarmupRequests, 0, maxRequests},
		{"requests", o.Requests, 0, maxRequests},
		{"timeout-ms", o.Timeout.Milliseconds(), 1, 600000},
		{"settle-ms", o.Settle.Milliseconds(), 0, 10000},
		{"server-pid", int64(o.ServerPID), 0, 1 << 30},
		{"processors", int64(o.Processors), 1, maxProcessors},
	}
	for _, r := range ranges {
		if r.value < r.low || r.value > r.high {
			return fmt.Errorf("--%s is %d, it must be from %d to %d", r.name, r.value, r.low, r.high)
		}
	}
	switch {
	case o.Protocol != "http" && o.Protocol != "zap":
		return fmt.Errorf("--protocol is %q, it must be http or zap", o.Protocol)
	case o.Requests == 0 && o.Duration == 0:
		return errors.New("one of --requests and --seconds is needed")
	case o.Requests != 0 && o.Duration != 0:
		return errors.New("--requests and --seconds exclude each other")
	case !(o.Rate >= 0 && o.Rate <= maxRate):
		return fmt.Errorf("--rate is %v, it must be from 0 to %.0f requests per second", o.Rate, maxRate)
	case o.Processors > o.Connections:
		return fmt.Errorf("--processors is %d, more than the %d of --connections", o.Processors, o.Connections)
	}
	return nil
}

// bodyOptions are the ways to say a body.
type bodyOptions struct {
	file, text, hex *string
	bytes           *int
}

func defineMessage(flags *flag.FlagSet, m *Message) bodyOptions {
	flags.StringVar(&m.Target, "target", "/health", "path and query of the request")
	flags.StringVar(&m.Method, "method", "", "method; GET, or POST with a body, where nothing is said")
	flags.Func("header", "`Name: value`, may be repeated", func(text string) error {
		name, value, found := strings.Cut(text, ":")
		if !found || name == "" {
			return errors.New("a header is written Name: value")
		}
		m.Header = append(m.Header, Field{name, strings.TrimSpace(value)})
		return nil
	})
	return bodyOptions{
		file:  flags.String("body", "", "`file` whose content is the body"),
		text:  flags.String("body-text", "", "the body"),
		hex:   flags.String("body-hex", "", "the body in hexadecimal digits"),
		bytes: flags.Int("body-bytes", 0, "length of a chat-shaped JSON body"),
	}
}

func (b bodyOptions) complete(m *Message) error {
	given := 0
	for _, yes := range []bool{*b.file != "", *b.text != "", *b.hex != "", *b.bytes != 0} {
		if yes {
			given++
		}
	}
	if given > 1 {
		return errors.New("--body, --body-text, --body-hex and --body-bytes exclude each other")
	}
	var err error
	switch {
	case *b.file != "":
		if m.Body, err = os.ReadFile(*b.file); err != nil {
			return fmt.Errorf("--body cannot be read: %w", err)
		}
	case *b.hex != "":
		if m.Body, err = hex.DecodeString(*b.hex); err != nil {
			return errors.New("--body-hex is not an even number of hexadecimal digits")
		}
	case *b.bytes < 0 || *b.bytes > maxBody:
		return fmt.Errorf("--body-bytes is %d, it must be from 0 to 64 MiB", *b.bytes)
	case *b.bytes > 0:
		m.Body = ChatBody(*b.bytes)
	default:
		m.Body = []byte(*b.text)
	}
	if len(m.Body) > maxBody {
		return fmt.Errorf("the body has %d bytes, the most is 64 MiB", len(m.Body))
	}
	if m.Method == "" {
		m.Method = "GET"
		if given > 0 {
			m.Method = "POST"
		}
	}
	return m.check()
}

// Expected is what every reply must be.
type Expected struct {
	Status int
	// Body is compared byte for byte. Without Known it is that of the first
	// reply, which a request before the warm-up asks for.
	Body  []byte
	Known bool
	// Bytes is how long the first reply's body must be; negative is any length.
	Bytes int
}

type expectedOptions struct {
	file, text *string
}

func defineExpected(flags *flag.FlagSet, e *Expected) expectedOptions {
	flags.IntVar(&e.Status, "status", 200, "status of every reply")
	flags.IntVar(&e.Bytes, "expect-bytes", -1, "length of every reply's body")
	return expectedOptions{
		file: flags.String("expect", "", "`file` with the body of every reply"),
		text: flags.String("expect-text", "", "the body of every reply"),
	}
}

// complete gives the body that is known beforehand: what was said or, for the
// routes whose reply the request implies, that.
func (e expectedOptions) complete(expected *Expected, m *Message) error {
	if expected.Status < 200 || expected.Status > 599 {
		return fmt.Errorf("--status is %d, it must be from 200 to 599", expected.Status)
	}
	switch {
	case *e.file != "" && *e.text != "":
		return errors.New("--expect and --expect-text exclude each other")
	case *e.file != "":
		body, err := os.ReadFile(*e.file)
		if err != nil {
			return fmt.Errorf("--expect cannot be read: %w", err)
		}
		expected.Body, expected.Known = body, true
	case *e.text != "":
		expected.Body, expected.Known = []byte(*e.text), true
	case expected.Status == 200 && m.Target == "/echo":
		expected.Body, expected.Known = m.Body, true
	case expected.Status == 200 && m.Target == "/health":
		expected.Body, expected.Known = []byte("ok"), true
	}
	if expected.Known && expected.Bytes >= 0 && expected.Bytes != len(expected.Body) {
		return fmt.Errorf("--expect-bytes is %d, and the body that is expected has %d", expected.Bytes, len(expected.Body))
	}
	return nil
}
