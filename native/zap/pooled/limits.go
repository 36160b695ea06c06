package pooled

import "time"

// Limits bounds what clients may take. A duration of 0 means no bound.
type Limits struct {
	Idle  time.Duration // from the last response to the first byte of the next request
	Head  time.Duration // from a request's first byte to its length prefix and header
	Body  time.Duration // from there to its last byte
	Write time.Duration // for the client to take what is written at once
	// FrameBytes is the longest request, at most (and for 0) wire.MaxMessageBytes.
	FrameBytes int
	// Connections is how many may be open at once, 0 for any number.
	Connections int
}

// tick gives the coarse clock's step, 0 if nothing is bounded.
func (l *Limits) tick() time.Duration {
	shortest := time.Duration(0)
	for _, d := range []time.Duration{l.Idle, l.Head, l.Body, l.Write} {
		if d > 0 && (shortest == 0 || d < shortest) {
			shortest = d
		}
	}
	if shortest == 0 {
		return 0
	}
	return min(max(shortest/8, time.Millisecond), time.Second)
}

// phase is what a connection waits for.
type phase uint32

const (
	idle phase = iota
	head
	body
	writing
	phases
	phaseBits = 3
)

// ticks gives for each phase how many steps of the clock it may last: rounded
// up, and one more because the first is not whole; 0 for no bound.
func (l *Limits) ticks() (allowed [phases]uint32) {
	step := l.tick()
	for p, d := range [phases]time.Duration{idle: l.Idle, head: l.Head, body: l.Body, writing: l.Write} {
		if d > 0 {
			allowed[p] = uint32((d+step-1)/step) + 1
		}
	}
	return allowed
}

// mark is a phase and the tick at which it began, in one word.
type mark uint32

func markOf(p phase, tick uint32) mark { return mark(tick<<phaseBits | uint32(p)) }

// expired reports whether a phase has lasted longer than allowed at a tick. The
// ticks in a mark wrap around, after years.
func (m mark) expired(tick uint32, allowed *[phases]uint32) bool {
	p := phase(m & (1<<phaseBits - 1))
	if p >= phases || allowed[p] == 0 {
		return false
	}
	return (tick<<phaseBits-uint32(m)&^(1<<phaseBits-1))>>phaseBits >= allowed[p]
}
