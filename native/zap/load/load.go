// Package load is a load generator for HTTP/1.1 and for HTTP over ZAP with one
// scheduler for both, so that only the protocol differs.
//
// Each thread waits on its connections with epoll, writes requests that were
// encoded once, and compares every reply with what is expected, status and body
// to the last byte. In the closed loop each connection has depth requests
// waiting; in the open loop requests are due on a fixed schedule and latency
// counts from when they were due, so that a server that stalls is charged for
// all that it kept waiting (coordinated omission).
package load

import (
	"fmt"
	"math"
	"net"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Window is told when the measured part begins and ends.
type Window struct {
	Open, Close func()
}

// memoryLimit is far above what a full load takes, and bounds a mistake.
const memoryLimit = 2 << 30

// Run makes the load and reports. SIGTERM ends it early with a report of what
// was done. It gives an error where no load could be made at all: no
// descriptors, no server, or a first reply that is not the expected one.
func Run(o Options, window Window) (*Report, error) {
	g, err := newGenerator(&o)
	if err != nil {
		return nil, err
	}
	defer g.close()
	defer g.stop.onSignals()()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.Processors + 1)) // one for the runtime, or it would take a thread's place
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))

	warmup := newTally()
	g.each(func(s *scheduler, t *tally) { s.connect(t) }, warmup)
	if g.established() == 0 && !g.stop.asked() {
		return nil, fmt.Errorf("the server at %v took no connection: %v", o.Server, byName(&warmup.attemptsFailed))
	}
	connections := g.established()
	g.each(func(s *scheduler, t *tally) { s.run(g.share(s, plan{requests: o.WarmupRequests}), t) }, warmup)

	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nothing is allocated in the window, and nothing shall wander about
	measured := newTally()
	r := g.measure(measured, window)
	r.Connections = connections
	r.WarmupFailed = warmup.failed()
	r.Lost += warmup.lost
	r.ConnectFailures = byName(&warmup.attemptsFailed)
	for why, n := range byName(&measured.attemptsFailed) {
		r.ConnectFailures[why] += n
	}
	return r, nil
}

// generator is the threads of a load.
type generator struct {
	options *Options
	request []byte
	threads []*scheduler
	stop    *stop
}

func newGenerator(o *Options) (*generator, error) {
	host := net.JoinHostPort(o.Server.Addr().String(), strconv.Itoa(int(o.Server.Port())))
	request, err := protocolNamed(o.Protocol).request(&o.Message, host)
	if err != nil {
		return nil, err
	}
	if err := reserveDescriptors(o.Connections + 16*o.Processors); err != nil {
		return nil, err
	}
	if !o.Expected.Known {
		if err := learn(o, request); err != nil {
			return nil, err
		}
	}
	g := &generator{options: o, request: request}
	if g.stop, err = newStop(); err != nil {
		return nil, err
	}
	for n := range o.Processors {
		count := o.Connections / o.Processors
		if n < o.Connections%o.Processors {
			count++
		}
		s, err := newScheduler(o, count, n, request, g.stop)
		if err != nil {
			return nil, err
		}
		g.threads = append(g.threads, s)
	}
	return g, nil
}

func reserveDescriptors(needed int) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Cur < uint64(needed) {
		return fmt.Errorf("%d descriptors are needed and the limit is %d: raise `ulimit -Hn` or lower --connections", needed, limit.Cur)
	}
	return nil
}

func (g *generator) close() {
	for _, s := range g.threads {
		s.close()
	}
	unix.Close(g.stop.wake)
}

func (g *generator) established() (n int) {
	for _, s := range g.threads {
		n += s.established
	}
	return n
}

// each runs a phase on all threads and adds their tallies up.
func (g *generator) each(phase func(*scheduler, *tally), total *tally) {
	if len(g.threads) == 1 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		phase(g.threads[0], total)
		return
	}
	tallies := make([]*tally, len(g.threads))
	var all sync.WaitGroup
	for i, s := range g.threads {
		tallies[i] = newTally()
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			phase(s, tallies[i])
		})
	}
	all.Wait()
	for _, t := range tallies {
		total.add(t)
	}
}

// share gives a thread's part of a plan: the requests and an open loop's
// schedule are dealt out one by one.
func (g *generator) share(s *scheduler, p plan) plan {
	n := int64(len(g.threads))
	for i, other := range g.threads {
		if other == s && p.requests != math.MaxInt64 {
			p.requests = p.requests/n + extra(int64(i) < p.requests%n)
		}
		if other == s {
			p.start += int64(float64(i) * p.period)
		}
	}
	p.period *= float64(n)
	return p
}

func extra(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// plan is the window's, of all threads together.
func (g *generator) plan() plan {
	p := plan{requests: g.options.Requests, deadline: int64(g.options.Duration)}
	if p.requests == 0 {
		p.requests = math.MaxInt64
	}
	if g.options.Rate > 0 {
		p.period = 1e9 / g.options.Rate
	}
	return p
}

// measure opens the window, makes the load and closes it.
func (g *generator) measure(t *tally, window Window) *Report {
	o := g.options
	g.tell()
	time.Sleep(o.Settle)
	before := counters{serverCPU: processTime(o.ServerPID), segments: segmentsOut()}
	before.ownCPU = ownTime()
	window.Open()
	opened := time.Now()
	g.each(func(s *scheduler, t *tally) { s.run(g.share(s, g.plan()), t) }, t)
	ended := time.Now()
	time.Sleep(o.Settle)
	window.Close()
	after := counters{ownCPU: ownTime()}
	after.serverCPU, after.segments = processTime(o.ServerPID), segmentsOut()
	g.tell()
	return g.report(t, ended.Sub(opened), before, after)
}

// tell lets the server take its own readings.
func (g *generator) tell() {
	if g.options.Signal && g.options.ServerPID > 0 {
		_ = unix.Kill(g.options.ServerPID, unix.SIGUSR1)
	}
}

func (g *generator) report(t *tally, window time.Duration, before, after counters) *Report {
	o := g.options
	r := &Report{
		Completed:     t.completed,
		Failed:        t.failed(),
		Failures:      byName(&t.failures),
		WindowNS:      int64(window),
		LoaderCPUNS:   after.ownCPU - before.ownCPU,
		ServerCPUNS:   difference(before.serverCPU, after.serverCPU),
		Segments:      difference(before.segments, after.segments),
		LatencyNS:     t.latency.summary(),
		Histogram:     t.latency.encoded(),
		Protocol:      o.Protocol,
		Target:        o.Message.Target,
		Depth:         o.Depth,
		Unsent:        t.unsent,
		RequestBytes:  len(g.request),
		SentBytes:     t.sentBytes,
		ReceivedBytes: t.receivedBytes,
		Lost:          t.lost,
		Stopped:       g.stop.asked(),
	}
	if seconds := window.Seconds(); seconds > 0 {
		r.AchievedRate = float64(r.Completed) / seconds
		r.LoaderCPUShare = float64(r.LoaderCPUNS) / float64(window)
	}
	if o.Rate > 0 {
		r.OfferedRate = &o.Rate
		uncorrected := t.fromSending.summary()
		r.UncorrectedNS = &uncorrected
	}
	for _, s := range g.threads {
		if s.checker.complaint != nil && r.Complaint == "" {
			r.Complaint = s.checker.complaint.Error()
		}
	}
	return r
}
