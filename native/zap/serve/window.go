package serve

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Window is what a process did between two readings.
type Window struct {
	Requests       int64   `json:"requests"`
	Collections    int64   `json:"collections"`
	PauseNS        int64   `json:"pause_ns"`
	Allocations    int64   `json:"allocations"`
	AllocatedBytes int64   `json:"allocated_bytes"`
	CPUNS          int64   `json:"cpu_ns"`
	Seconds        float64 `json:"seconds"`
}

// Reading is the state of the process's meters at one moment. It is to be
// reused: taking one allocates nothing.
type Reading struct {
	// memory is read with runtime.ReadMemStats and not with runtime/metrics,
	// because only the former counts what each processor has handed out since
	// it last asked for a span: with metrics a window of few allocations is
	// wrong by hundreds. It stops the world for some microseconds, at the
	// edges of the window only.
	memory runtime.MemStats
	cpu    time.Duration
	at     time.Time
}

// Take reads the meters now.
func (r *Reading) Take() {
	r.at = time.Now()
	r.cpu = processTime()
	runtime.ReadMemStats(&r.memory)
}

// Since gives what happened from an earlier reading to this one; the requests
// are the caller's to fill in.
func (r *Reading) Since(earlier *Reading) Window {
	return Window{
		Collections:    int64(r.memory.NumGC - earlier.memory.NumGC),
		PauseNS:        int64(r.memory.PauseTotalNs - earlier.memory.PauseTotalNs),
		Allocations:    int64(r.memory.Mallocs - earlier.memory.Mallocs),
		AllocatedBytes: int64(r.memory.TotalAlloc - earlier.memory.TotalAlloc),
		CPUNS:          int64(r.cpu - earlier.cpu),
		Seconds:        r.at.Sub(earlier.at).Seconds(),
	}
}

// processTime is the CPU time of all threads of this process.
func processTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
