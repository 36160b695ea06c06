// Command zap-load loads a server with requests over HTTP or ZAP and prints one
// line of JSON. It exits with 0 also when requests failed, 1 when no load could
// be made, 2 on bad arguments.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"nullius/zap/load"
)

// The emulated meter finds these two by name and counts between them. They
// differ in what they store, lest a linker fold them into one.
var window int

//go:noinline
func nullius_window_open() { window = 1 }

//go:noinline
func nullius_window_close() { window = 2 }

func main() {
	options, err := load.Parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "zap-load:", err)
		os.Exit(2)
	}
	report, err := load.Run(options, load.Window{Open: nullius_window_open, Close: nullius_window_close})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "zap-load:", err)
		os.Exit(1)
	}
}
