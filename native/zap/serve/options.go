package serve

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"time"
)

// Options is what every server is told on its command line.
type Options struct {
	Address    string
	Port       int       // 0 for any free one
	Collector  Collector // the collector's target
	Processors int       // GOMAXPROCS
	// Timeout bounds each wait for a client: for the next request, for a begun
	// request's head, for its body, and for the client to take a response. 0
	// means no bound.
	Timeout time.Duration
	// FrameLimit is the longest request in bytes.
	FrameLimit int
	// Connections is how many may be open at once.
	Connections int
}

// Defaults gives the options that hold where nothing else is said.
func Defaults() Options {
	return Options{
		Address:     "127.0.0.1",
		Collector:   100,
		Processors:  1,
		Timeout:     10 * time.Second,
		FrameLimit:  4 << 20,
		Connections: 8192,
	}
}

// Define adds the options as flags whose defaults are the options' present
// values.
func (o *Options) Define(flags *flag.FlagSet) {
	flags.StringVar(&o.Address, "address", o.Address, "IPv4 or IPv6 address to listen on")
	flags.IntVar(&o.Port, "port", o.Port, "port to listen on, 0 for any free one")
	flags.Var(&o.Collector, "gogc", "collector's target in per cent, or off")
	flags.IntVar(&o.Processors, "processors", o.Processors, "GOMAXPROCS")
	flags.Var((*milliseconds)(&o.Timeout), "timeout-ms", "bound of each wait for a client, 0 for none")
	flags.IntVar(&o.FrameLimit, "frame-limit", o.FrameLimit, "longest request in bytes")
	flags.IntVar(&o.Connections, "connections", o.Connections, "connections open at once")
}

// Check gives one sentence on the first option that makes no sense.
func (o *Options) Check() error {
	switch {
	case o.Port < 0 || o.Port > 65535:
		return fmt.Errorf("--port is %d, it must be from 0 to 65535", o.Port)
	case o.Processors < 1:
		return fmt.Errorf("--processors is %d, it must be at least 1", o.Processors)
	case o.FrameLimit < 1 || o.FrameLimit > 64<<20:
		return fmt.Errorf("--frame-limit is %d bytes, it must be from 1 to 64 MiB", o.FrameLimit)
	case o.Connections < 1:
		return fmt.Errorf("--connections is %d, it must be at least 1", o.Connections)
	}
	return nil
}

// Collector is the collector's target in per cent (GOGC); negative is off.
type Collector int

// String gives it as it is written on the command line.
func (c *Collector) String() string {
	if *c < 0 {
		return "off"
	}
	return strconv.Itoa(int(*c))
}

// Set reads it.
func (c *Collector) Set(text string) error {
	if text == "off" {
		*c = -1
		return nil
	}
	target, err := strconv.Atoi(text)
	if err != nil || target < 0 {
		return errors.New("it must be a number of per cent or off")
	}
	*c = Collector(target)
	return nil
}

// milliseconds is a duration that a flag gives as a whole number of them.
type milliseconds time.Duration

func (m *milliseconds) String() string {
	return strconv.FormatInt(time.Duration(*m).Milliseconds(), 10)
}

func (m *milliseconds) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return errors.New("it must be a number of milliseconds")
	}
	*m = milliseconds(time.Duration(n) * time.Millisecond)
	return nil
}
