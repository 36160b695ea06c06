package load

import "math"

// plan says when requests are to be sent. The closed loop sends the next as
// soon as a connection has room; the open loop sends the nth at start + n *
// period, whatever the server does, and what finds no room waits its turn.
type plan struct {
	// requests is how many there are at most.
	requests int64
	// start is when the first is due, deadline when no more are sent (0 is
	// never), both in the scheduler's time.
	start, deadline int64
	// period is the open loop's, in nanoseconds; 0 is the closed loop.
	period float64
}

// due is how many requests should have been sent by now, those after the deadline
// left out.
func (p *plan) due(now int64) int64 {
	if p.period == 0 {
		return p.requests
	}
	if p.deadline != 0 {
		now = min(now, p.deadline-1)
	}
	if now < p.start {
		return 0
	}
	return min(p.requests, int64(float64(now-p.start)/p.period)+1)
}

// over says that nothing more will be sent.
func (p *plan) over(issued, now int64) bool {
	return issued >= p.requests || p.deadline != 0 && now >= p.deadline
}

// time is when the nth request is meant to be sent.
func (p *plan) time(n, now int64) int64 {
	if p.period == 0 {
		return now
	}
	return p.start + int64(float64(n)*p.period)
}

// next is when the open loop's nth request is due; never in the closed loop and
// past the end.
func (p *plan) next(n int64) int64 {
	if p.period == 0 || n >= p.requests {
		return math.MaxInt64
	}
	return p.time(n, 0)
}
