package load

import (
	"math"
	"testing"
)

func TestClosedPlan(t *testing.T) {
	p := plan{requests: 10}
	if p.due(0) != 10 || p.over(9, 5) || !p.over(10, 5) || p.time(3, 77) != 77 || p.next(0) != math.MaxInt64 {
		t.Errorf("a count: %+v", p)
	}
	p = plan{requests: math.MaxInt64, deadline: 100}
	if p.due(99) != math.MaxInt64 || p.over(5, 99) || !p.over(5, 100) {
		t.Errorf("a time: %+v", p)
	}
}

func TestOpenPlan(t *testing.T) {
	p := plan{requests: 4, start: 1000, period: 10}
	for now, want := range map[int64]int64{0: 0, 999: 0, 1000: 1, 1009: 1, 1010: 2, 1030: 4, 9999: 4} {
		if got := p.due(now); got != want {
			t.Errorf("%d are due at %d, want %d", got, now, want)
		}
	}
	if p.time(3, 0) != 1030 || p.next(3) != 1030 || p.next(4) != math.MaxInt64 {
		t.Errorf("times %d, %d, %d", p.time(3, 0), p.next(3), p.next(4))
	}
	p = plan{requests: math.MaxInt64, start: 1000, deadline: 1025, period: 10}
	if p.due(5000) != 3 || !p.over(3, 1025) {
		t.Errorf("%d are due by the deadline", p.due(5000))
	}
	// A third of a nanosecond too late adds up over a long schedule; it must not
	// drift.
	p = plan{requests: math.MaxInt64, period: 1e9 / 3e6}
	if got := p.time(3e6*3600, 0); got != 3600e9 {
		t.Errorf("after an hour the schedule is at %d ns", got)
	}
	for n := int64(0); n < 100000; n += 7 {
		at := p.time(n, 0)
		if due := p.due(at + 1); due < n+1 || due > n+4 {
			t.Fatalf("request %d is meant for %d, and then %d are due", n, at, due)
		}
	}
}

func TestSharesAddUp(t *testing.T) {
	g := &generator{threads: []*scheduler{{}, {}, {}}}
	total := int64(0)
	for i, s := range g.threads {
		p := g.share(s, plan{requests: 11, period: 10})
		total += p.requests
		if p.start != int64(10*i) || p.period != 30 {
			t.Errorf("thread %d: %+v", i, p)
		}
	}
	if total != 11 {
		t.Errorf("%d of 11 requests", total)
	}
	if p := g.share(g.threads[1], plan{requests: math.MaxInt64}); p.requests != math.MaxInt64 {
		t.Errorf("got %+v", p)
	}
}
