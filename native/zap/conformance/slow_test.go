package conformance

import (
	"runtime"
	"testing"
	"time"

	"nullius/zap/serve"
)

func briefly(o *serve.Options) { o.Timeout = 300 * time.Millisecond }

// TestSilent has clients that send nothing, part of a prefix, of a header and
// of a body: each is closed, and counted.
func TestSilent(t *testing.T) {
	whole := framed(t, "POST", "/echo", serve.Body(3000))
	each(t, briefly, func(r *running) {
		var clients []client
		for _, n := range []int{0, 2, 10, 100, len(whole) - 1, len(whole)} {
			c := r.dial()
			c.send(whole[:n])
			if n == len(whole) {
				c.expect(200, string(serve.Body(3000)))
			}
			clients = append(clients, c)
		}
		for _, c := range clients {
			c.closed()
		}
		if n := r.Counts().TimedOut; n != int64(len(clients)) {
			r.t.Errorf("%d timed out, expected %d", n, len(clients))
		}
	})
}

// TestSlowLoris has a client that sends a byte now and then: bytes do not
// prolong the time for a request.
func TestSlowLoris(t *testing.T) {
	whole := framed(t, "POST", "/echo", serve.Body(3000))
	each(t, briefly, func(r *running) {
		c := r.dial()
		begun := time.Now()
		for _, b := range whole {
			if _, err := c.Write([]byte{b}); err != nil {
				break
			}
			if time.Since(begun) > 10*time.Second {
				r.t.Fatal("it is not closed after ten seconds")
			}
			time.Sleep(20 * time.Millisecond)
		}
		eventually(r.t, "it is counted", func() bool { return r.Counts().TimedOut == 1 })
	})
}

// TestNotReading has a client that asks for much and takes nothing.
func TestNotReading(t *testing.T) {
	each(t, briefly, func(r *running) {
		c := r.dial()
		c.send(framed(r.t, "GET", "/body/16000000", nil))
		eventually(r.t, "it is counted", func() bool { return r.Counts().TimedOut == 1 })
		other := r.dial()
		other.healthy()
	})
}

// TestBusyIsNotIdle has a client that goes on for longer than the timeout.
func TestBusyIsNotIdle(t *testing.T) {
	each(t, briefly, func(r *running) {
		c := r.dial()
		for range 8 {
			c.healthy()
			time.Sleep(100 * time.Millisecond)
		}
		if n := r.Counts().TimedOut; n != 0 {
			r.t.Errorf("%d timed out", n)
		}
	})
}

// TestDrain closes idle connections at once and lets a begun request end.
func TestDrain(t *testing.T) {
	whole := framed(t, "POST", "/echo", serve.Body(3000))
	each(t, nil, func(r *running) {
		idle, begun := r.dial(), r.dial()
		idle.healthy()
		begun.healthy()
		begun.send(whole[:100])
		eventually(r.t, "it is accepted", func() bool { return r.Counts().Accepted == 2 })
		time.Sleep(50 * time.Millisecond)
		drained := make(chan struct{})
		go func() { r.Drain(10 * time.Second); close(drained) }()
		idle.closed()
		begun.send(whole[100:])
		begun.expect(200, string(serve.Body(3000)))
		begun.closed()
		<-drained
	})
}

// TestDrainHasAnEnd does not wait for a client that never finishes.
func TestDrainHasAnEnd(t *testing.T) {
	each(t, nil, func(r *running) {
		c := r.dial()
		c.healthy()
		c.send(framed(r.t, "GET", "/health", nil)[:10])
		time.Sleep(50 * time.Millisecond)
		begun := time.Now()
		r.Drain(200 * time.Millisecond)
		if took := time.Since(begun); took > 5*time.Second {
			r.t.Errorf("draining took %v", took)
		}
		c.closed()
	})
}

// TestNothingIsLeft opens and closes connections, some with large requests, and
// looks at what the process keeps.
func TestNothingIsLeft(t *testing.T) {
	big := framed(t, "POST", "/echo", serve.Body(1<<20))
	each(t, nil, func(r *running) {
		heap := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // pools give up what they hold at the second
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		round := func() {
			for range 6 {
				c := r.dial()
				go c.Write(big)
				c.expect(200, string(serve.Body(1<<20)))
				c.Close()
			}
		}
		round()
		before := heap()
		for range 5 {
			round()
		}
		eventually(r.t, "memory is let go", func() bool { return heap() < before+2<<20 })
	})
}
