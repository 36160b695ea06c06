// Package bench measures a program that does one operation many times without
// sockets, and reports as the pipeline reads it.
package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Report is what a window took, all of it over the window; it is printed as the
// program's last line.
type Report struct {
	Operations     int64 `json:"operations"`
	WindowNS       int64 `json:"window_ns"`
	CPUNS          int64 `json:"cpu_ns"` // of the whole process, collector included
	Allocations    int64 `json:"allocations"`
	AllocatedBytes int64 `json:"allocated_bytes"`
	// Bytes is what would have crossed the wire, both directions.
	Bytes       int64 `json:"bytes"`
	Collections int64 `json:"collections"`
	// AllocationSites is how many distinct places in the measured code allocate
	// for an operation, where it was counted.
	AllocationSites *int64 `json:"allocation_sites,omitempty"`
	// Path says what was measured, with versions.
	Path  string            `json:"path"`
	Facts map[string]string `json:"facts,omitempty"`
}

// Write prints the report as one line of JSON.
func (r *Report) Write(w io.Writer) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}

// Window runs work between open and close, which are the program's marker
// functions, and gives a report of that time. It collects garbage before, so
// that every window starts with the same heap. Clocks are read inside of the
// memory statistics, whose reading is thus in neither.
func Window(open, close, work func()) Report {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, at := processTime(), time.Now()
	open()
	work()
	close()
	window := time.Since(at)
	cpu = processTime() - cpu
	runtime.ReadMemStats(&after)
	return Report{
		WindowNS: int64(window), CPUNS: int64(cpu),
		Allocations:    int64(after.Mallocs - before.Mallocs),
		AllocatedBytes: int64(after.TotalAlloc - before.TotalAlloc),
		Collections:    int64(after.NumGC - before.NumGC),
	}
}

// processTime is the CPU time of all threads of this process.
func processTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic("bench: no CPU time of the process: " + err.Error())
	}
	return time.Duration(t.Nano())
}
