package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"nullius/zap/memory"
	"nullius/zap/naive"
	"nullius/zap/pooled"
	"nullius/zap/serve"
)

// places are the three of the article, by the functions of package naive that
// allocate there. Any other function that allocates is a place of its own.
var places = map[string]string{
	"naive.readFrame": "frame", "naive.encodeResponse": "frame",
	"naive.Header.add": "header", "naive.parseHeader": "header",
	"naive.newContext": "context",
}

// profiled is how many requests the places are counted in; a place that
// allocates for each of them has as many allocations.
const profiled = 2000

// sites counts the places at which a server allocates for a request on a warm
// connection, by the runtime's allocation profile with every allocation in it.
// It is not for the window: profiling slows allocations down.
func sites(p plan, o serve.Options) (int64, error) {
	conn := memory.NewConn(2*profiled, 1, p.requests...)
	conn.Loose = p.subject.loose
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	var before map[string]int64
	conn.AtRequests = profiled
	conn.At = func() {
		if conn.AtRequests == profiled {
			conn.AtRequests = -1
			before = allocations()
			runtime.MemProfileRate = 1
		}
	}
	p.subject.make(o).serveConn(conn)
	if _, err := conn.Answered(); err != nil {
		return 0, err
	}
	runtime.MemProfileRate = rate
	found := map[string]bool{}
	for function, n := range allocations() {
		if n-before[function] < profiled {
			continue
		}
		place, known := places[function]
		if !known {
			place = function
		}
		found[place] = true
	}
	return int64(len(found)), nil
}

// allocations counts what has been allocated by the innermost function of this
// module; the profile shows it after two collections.
func allocations() map[string]int64 {
	runtime.GC()
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 4096)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		panic(fmt.Sprintf("bench-server: the allocation profile has %d records", n))
	}
	counts := map[string]int64{}
	for _, r := range records[:n] {
		frames := runtime.CallersFrames(r.Stack())
		for more := true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			if name, own := strings.CutPrefix(frame.Function, "nullius/zap/"); own {
				counts[name] += r.AllocObjects
				break
			}
		}
	}
	return counts
}

// sameBytes says whether the naive and the pooled server answer the requests by
// the same bytes.
func sameBytes(p plan, o serve.Options) (string, error) {
	var replies [][]byte
	for _, serveConn := range []func(*memory.Conn){
		func(c *memory.Conn) { naive.New(o).ServeConn(c) },
		func(c *memory.Conn) { pooled.FromOptions(o, pooled.WritevAuto).ServeConn(c) },
	} {
		conn := memory.NewConn(1, 1, p.requests...)
		serveConn(conn)
		if _, err := conn.Answered(); err != nil {
			return "", err
		}
		replies = append(replies, slices.Clone(conn.Reply()))
	}
	if string(replies[0]) != string(replies[1]) {
		return fmt.Sprintf("naive answers %x, pooled %x", replies[0], replies[1]), nil
	}
	return fmt.Sprintf("identical replies of naive and pooled, %d bytes, to the same request of %d bytes", len(replies[0]), len(p.requests[0])), nil
}
