package bench

import (
	"runtime"
	"strings"
	"testing"
)

var kept [][]byte

func TestWindowCountsItsWorkOnly(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var order []string
	r := Window(
		func() { order = append(order[:0], "open") },
		func() { order = append(order, "close") },
		func() {
			order = append(order, "work")
			for range 1000 {
				kept = append(kept, make([]byte, 4096))
			}
		},
	)
	if got := strings.Join(order, " "); got != "open work close" {
		t.Errorf("order: %s", got)
	}
	// Beside the 1000: the slices' growth, and what the runtime itself may allocate.
	if r.Allocations < 1000 || r.Allocations > 1100 {
		t.Errorf("%d allocations", r.Allocations)
	}
	if r.AllocatedBytes < 1000*4096 {
		t.Errorf("%d bytes", r.AllocatedBytes)
	}
	if r.WindowNS <= 0 || r.CPUNS <= 0 {
		t.Errorf("no time passed: %+v", r)
	}
}

func TestReportIsOneLine(t *testing.T) {
	var out strings.Builder
	r := Report{Operations: 2, Bytes: 3, Path: "p", Facts: map[string]string{"roundtrip": "same bytes"}}
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := `{"operations":2,"window_ns":0,"cpu_ns":0,"allocations":0,"allocated_bytes":0,"bytes":3,"collections":0,"path":"p","facts":{"roundtrip":"same bytes"}}` + "\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}
