// Bench-codec does one operation of one codec many times and reports what it
// took as one line of JSON; or it lists what it can do.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"nullius/zap/bench"
	"nullius/zap/codecs"
)

// The emulator finds these two in the program and counts between them.

//go:noinline
func nullius_window_open() { windows++ }

//go:noinline
func nullius_window_close() { windows++ }

var windows int

// sink keeps what was decoded and encoded alive.
var sink uint64

func main() {
	var (
		codec      = flag.String("codec", "", "one of "+strings.Join(codecs.Names(), ", "))
		operation  = flag.String("operation", "", "decode, encode or handler")
		records    = flag.String("records", "server", "server: decode the request, encode the response; both: request and response of each")
		operations = flag.Int("operations", 1_000_000, "how many in the window")
		warmup     = flag.Int("warmup", -1, "how many before it; -1: a tenth of them, at least 1000")
		processors = flag.Int("processors", 1, "GOMAXPROCS")
		list       = flag.Bool("list", false, "print codecs with versions, allocations and wire bytes as JSON, and do nothing else")
	)
	flag.Parse()
	switch {
	case flag.NArg() > 0:
		refuse("there is nothing but options, and %q is none", flag.Arg(0))
	case *records != "server" && *records != "both":
		refuse("--records is server or both, and not %q", *records)
	case *operations < 1 || *warmup < -1 || *processors < 1:
		refuse("--operations and --processors are at least 1, --warmup at least 0")
	}
	runtime.GOMAXPROCS(*processors)
	if *list {
		if err := printList(os.Stdout); err != nil {
			fail(err)
		}
		return
	}
	w, err := codecs.NewWorkload(*codec, *operation, *records == "both")
	if err != nil {
		refuse("%v", err)
	}
	if *warmup < 0 {
		*warmup = max(1000, *operations/10)
	}
	report, err := measure(w, *warmup, *operations)
	if err != nil {
		fail(err)
	}
	if *codec != "none" && *codec != "copy" {
		sentence, err := codecs.RoundTrip(*codec, codecs.Records())
		if err != nil {
			fail(err)
		}
		report.Facts = map[string]string{"roundtrip": sentence}
	}
	if err := report.Write(os.Stdout); err != nil {
		fail(err)
	}
}

// measure warms up and measures n operations.
func measure(w *codecs.Workload, warmup, n int) (bench.Report, error) {
	if err := w.Run(warmup); err != nil {
		return bench.Report{}, err
	}
	var failed error
	report := bench.Window(nullius_window_open, nullius_window_close, func() { failed = w.Run(n) })
	sink = w.Sink
	report.Operations, report.Bytes, report.Path = int64(n), int64(n)*w.Bytes(), w.Path()
	return report, failed
}

func refuse(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "bench-codec: "+format+"\n", values...)
	os.Exit(2)
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "bench-codec: %v\n", err)
	os.Exit(1)
}
