package conformance

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"nullius/zap/serve"
	"nullius/zap/wire"
)

// TestHostileVectors sends every hostile vector; other connections are
// unharmed.
func TestHostileVectors(t *testing.T) {
	hostile := vectors(t)["hostile"]
	each(t, nil, func(r *running) {
		other := r.dial()
		other.healthy()
		for name, b := range hostile {
			c := r.dial()
			status := uint16(400)
			if strings.HasPrefix(name, "length prefix") {
				status = 413 // 64 MiB are beyond the limit of 4 MiB as well
			} else {
				b = append(wire.AppendPrefix(nil, len(b)), b...)
			}
			// What follows must not be taken for a request.
			c.send(append(bytes.Clone(b), framed(r.t, "GET", "/health", nil)...))
			c.expect(status, "")
			c.closed()
			other.healthy()
		}
		if n := r.Counts(); n.Refused != int64(len(hostile)) {
			r.t.Errorf("%d refused, expected %d", n.Refused, len(hostile))
		}
	})
}

// TestRefused sends messages that are wrong in one respect each.
func TestRefused(t *testing.T) {
	change := func(at int, b ...byte) []byte {
		out := framed(t, "GET", "/health", nil)
		copy(out[at:], b)
		return out
	}
	withHeaders := func(text string) []byte {
		out, err := wire.AppendFramedRequest(nil, &wire.Request{Method: []byte("GET"), Target: []byte("/"), Headers: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	cases := map[string][]byte{
		"prefix of zero":        {0, 0, 0, 0},
		"magic":                 change(4, 'z'),
		"version 3":             change(8, 3),
		"a response":            change(11, 2),
		"low flags":             change(10, 1),
		"size":                  change(16, 0xff),
		"root in the header":    change(12, 8),
		"method overlaps":       change(20, 8),
		"line feed in target":   change(4+16+48+3+1, '\n'),
		"headers not closed":    withHeaders(`{"A":["b"]`),
		"headers no JSON":       withHeaders(`A: b`),
		"line feed in a header": withHeaders(`{"A":["b\r\nC: d"]}`),
		"name with a space":     withHeaders(`{"A ":["b"]}`),
		"names out of order":    withHeaders(`{"B":["b"],"A":["b"]}`),
		"names twice":           withHeaders(`{"A":["b"],"A":["b"]}`),
		"after the headers":     withHeaders(`{"A":["b"]}}`),
	}
	each(t, nil, func(r *running) {
		other := r.dial()
		for name, b := range cases {
			c := r.dial()
			c.send(b)
			if response := c.response(); response.Status != 400 || len(response.Body) == 0 {
				r.t.Errorf("%s: %d %q", name, response.Status, response.Body)
			}
			c.closed()
		}
		other.healthy()
	})
}

// TestAnsweredBeforeRefused has good requests before a bad one: they are
// answered.
func TestAnsweredBeforeRefused(t *testing.T) {
	each(t, nil, func(r *running) {
		c := r.dial()
		good := framed(r.t, "GET", "/health", nil)
		c.send(append(append(append([]byte{}, good...), good...), 0xff, 0xff, 0xff, 0xff))
		c.expect(200, "ok")
		c.expect(200, "ok")
		c.expect(413, "")
		c.closed()
	})
}

// TestPrefixesAllocateNothing opens many connections that promise as much as
// the limit allows and send nothing.
func TestPrefixesAllocateNothing(t *testing.T) {
	const connections = 50
	each(t, func(o *serve.Options) { o.FrameLimit = wire.MaxMessageBytes }, func(r *running) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		clients := make([]client, connections)
		for i := range clients {
			clients[i] = r.dial()
			// The length prefix of 64 MiB, and a few bytes.
			clients[i].send(append(vectors(r.t)["hostile"]["length prefix of 64 MiB with no body (must not allocate it)"], 'Z', 'A'))
		}
		eventually(r.t, "all are accepted", func() bool { return r.Counts().Accepted == connections })
		time.Sleep(50 * time.Millisecond)
		runtime.ReadMemStats(&after)
		if per := (after.TotalAlloc - before.TotalAlloc) / connections; per > 128<<10 {
			r.t.Errorf("%d bytes allocated for each promise", per)
		}
		for _, c := range clients {
			c.Close()
		}
	})
}

// TestBodyLimit sends a body of exactly the limit's size and one that is longer.
func TestBodyLimit(t *testing.T) {
	request := framed(t, "POST", "/echo", serve.Body(100_000))
	each(t, func(o *serve.Options) { o.FrameLimit = len(request) - wire.PrefixBytes }, func(r *running) {
		c := r.dial()
		c.send(request)
		c.expect(200, string(serve.Body(100_000)))
		go c.Write(framed(r.t, "POST", "/echo", serve.Body(100_001)))
		c.expect(413, "")
		c.closed()
	})
}

// TestConnectionLimit opens one connection too many, and then, with room
// again, another.
func TestConnectionLimit(t *testing.T) {
	each(t, func(o *serve.Options) { o.Connections = 3 }, func(r *running) {
		var clients []client
		for range 3 {
			c := r.dial()
			c.healthy()
			clients = append(clients, c)
		}
		tooMany := r.dial()
		tooMany.expect(503, "")
		tooMany.closed()
		for _, c := range clients {
			c.healthy()
		}
		clients[0].Close()
		eventually(r.t, "there is room again", func() bool {
			c := r.dial()
			c.send(framed(r.t, "GET", "/health", nil))
			return c.response().Status == 200
		})
	})
}

// TestVanishing closes connections in every state, by an end and by a reset.
func TestVanishing(t *testing.T) {
	whole := framed(t, "POST", "/echo", serve.Body(3000))
	each(t, nil, func(r *running) {
		other := r.dial()
		for _, n := range []int{0, 1, 3, 4, 10, 25, 100, 3000, len(whole) - 1, len(whole), len(whole) + 2} {
			for _, reset := range []bool{false, true} {
				c := r.dial()
				c.send(append(bytes.Clone(whole), whole...)[:n])
				if reset {
					c.SetLinger(0)
				}
				c.Close()
			}
			other.healthy()
		}
	})
}

// TestVanishingWhileReading closes connections that owe reading a large body.
func TestVanishingWhileReading(t *testing.T) {
	each(t, nil, func(r *running) {
		other := r.dial()
		for range 5 {
			c := r.dial()
			c.send(framed(r.t, "GET", "/body/16000000", nil))
			if _, err := io.ReadFull(c, make([]byte, 1000)); err != nil {
				r.t.Fatal(err)
			}
			c.SetLinger(0)
			c.Close()
			other.healthy()
		}
	})
}

// TestHalfClosed ends its own direction together with the last request: the
// response still comes, and then the end.
func TestHalfClosed(t *testing.T) {
	each(t, func(o *serve.Options) { o.Timeout = time.Minute }, func(r *running) {
		for _, requests := range []int{1, 2, 40} {
			c := r.dial()
			c.send(bytes.Repeat(framed(r.t, "GET", "/health", nil), requests))
			c.CloseWrite()
			for range requests {
				c.expect(200, "ok")
			}
			c.closed()
		}
	})
}
