// Program bench-server measures a server without sockets: requests come on one
// connection in memory, under the limits and timeouts that hold on sockets. It
// prints one line of JSON, exits with 2 on bad arguments and 1 if a reply was
// not as the first.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"nullius/zap/bench"
	"nullius/zap/memory"
	"nullius/zap/serve"
)

// The emulated meter finds these two by name and counts between them. They
// differ in what they store, lest a linker fold them into one.
var window int

//go:noinline
func nullius_window_open() { window = 1 }

//go:noinline
func nullius_window_close() { window = 2 }

// plan is what is to be measured.
type plan struct {
	subject    subject
	requests   [][]byte
	operations int
	warmup     int
	depth      int
}

func main() {
	options := serve.Defaults()
	flags := flag.NewFlagSet("bench-server", flag.ContinueOnError)
	server := flags.String("server", "pooled", "which server: "+names())
	route := flags.String("route", "/health", "target of the requests; /chat, /rpc and /echo are posted a body")
	changing := flags.Bool("changing", false, "each request has other headers than the one before")
	p := plan{}
	flags.IntVar(&p.operations, "operations", 1_000_000, "requests in the window")
	flags.IntVar(&p.warmup, "warmup", 10_000, "requests before the window")
	flags.IntVar(&p.depth, "depth", 1, "requests sent at once")
	options.Define(flags)
	if flags.Parse(os.Args[1:]) != nil {
		os.Exit(2)
	}
	err := options.Check()
	var found bool
	if p.subject, found = subjects[*server]; err == nil && !found {
		err = fmt.Errorf("--server is %q, it must be one of %s", *server, names())
	}
	if err == nil && (p.operations < 1 || p.warmup < 1 || p.depth < 1 || flags.NArg() > 0) {
		err = fmt.Errorf("--operations, --warmup and --depth must be at least 1, and there is nothing but options")
	}
	if err == nil {
		p.requests, err = p.subject.requests(*route, *changing)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-server:", err)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(options.Processors)
	debug.SetGCPercent(int(options.Collector))
	report, err := measure(p, options)
	if err == nil && !p.subject.http {
		err = examine(report, p, options)
	}
	if err == nil {
		err = report.Write(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-server:", err)
		os.Exit(1)
	}
}

// measure answers the warm-up and the window's requests on one connection.
func measure(p plan, o serve.Options) (*bench.Report, error) {
	server := p.subject.make(o)
	conn := memory.NewConn(p.warmup+p.operations, p.depth, p.requests...)
	var first, second serve.Reading
	written := 0
	conn.Loose = p.subject.loose
	conn.AtRequests = edge(p.warmup, p.depth)
	p.warmup = conn.AtRequests
	conn.At = func() {
		if conn.AtRequests == p.warmup {
			conn.AtRequests = -1
			runtime.GC() // so that every window starts with the same heap
			written = conn.Written
			first.Take()
			nullius_window_open()
		}
	}
	conn.End = func() {
		nullius_window_close()
		second.Take()
		written = conn.Written - written
	}
	server.serveConn(conn)
	answered, err := conn.Answered()
	if err != nil {
		return nil, err
	}
	w := second.Since(&first)
	operations := int64(answered - p.warmup)
	return &bench.Report{
		Operations: operations, WindowNS: int64(w.Seconds * 1e9), CPUNS: w.CPUNS,
		Allocations: w.Allocations, AllocatedBytes: w.AllocatedBytes, Collections: w.Collections,
		Bytes: int64(written) + operations*int64(len(p.requests[0])), Path: server.path,
		Facts: map[string]string{"reply": p.subject.status(conn.Reply())},
	}, nil
}

// examine adds what is known of a ZAP server beside figures.
func examine(report *bench.Report, p plan, o serve.Options) error {
	places, err := sites(p, o)
	if err != nil {
		return err
	}
	report.AllocationSites = &places
	report.Facts["wire"], err = sameBytes(p, o)
	return err
}

// edge gives the first count of requests at which all are answered that is not
// less than n: one, and then depth by depth.
func edge(n, depth int) int { return 1 + (n-1+depth-1)/depth*depth }
