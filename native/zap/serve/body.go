package serve

import (
	"bytes"
	"sync"
)

const (
	// MaxBody is the largest body of the route /body, in bytes.
	MaxBody = 16 << 20
	// keptBodies and keptBytes bound what is kept ready: a client that asks
	// for all sizes costs time, not memory.
	keptBodies = 64
	keptBytes  = 64 << 20
)

const (
	completionStart = `{"id":"chatcmpl-0","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"`
	completionEnd   = `"},"finish_reason":"stop"}]}`
	filling         = "All that is said here was counted before it was written down. "
)

var bodies struct {
	sync.RWMutex
	ready map[int][]byte
	bytes int
}

// Body gives n bytes of JSON (up to MaxBody): a chat completion whose content
// is as long as it takes, or a string or a number where n is too small for one.
// The same n gives the same bytes, to be read only. The first call for a size
// builds them; later ones allocate nothing.
func Body(n int) []byte {
	bodies.RLock()
	body, found := bodies.ready[n]
	bodies.RUnlock()
	if found {
		return body
	}
	body = buildBody(n)
	bodies.Lock()
	defer bodies.Unlock()
	if len(bodies.ready) < keptBodies && bodies.bytes+n <= keptBytes {
		if bodies.ready == nil {
			bodies.ready = make(map[int][]byte)
		}
		if _, found := bodies.ready[n]; !found {
			bodies.ready[n] = body
			bodies.bytes += n
		}
	}
	return body
}

func buildBody(n int) []byte {
	start, end := completionStart, completionEnd
	switch {
	case n < 2:
		return bytes.Repeat([]byte("1"), n)
	case n < len(start)+len(end):
		start, end = `"`, `"`
	}
	body := append(make([]byte, 0, n), start...)
	for left := n - len(start) - len(end); left > 0; left = n - len(body) - len(end) {
		body = append(body, filling[:min(left, len(filling))]...)
	}
	return append(body, end...)
}
