package load

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// highest is the largest latency kept apart, 100 s; greater ones are counted as
// this.
const (
	highest = int64(100e9)
	digits  = 3
)

// tally is what became of the requests of one run.
type tally struct {
	completed, unsent        int64
	failures, attemptsFailed [failures]int64
	// lost connections were established before.
	lost                     int64
	sentBytes, receivedBytes int64
	latency                  histogram
	// fromSending leaves out what an open loop's requests waited for their turn.
	fromSending histogram
}

func newTally() *tally {
	return &tally{latency: newHistogram(), fromSending: newHistogram()}
}

func (t *tally) complete(now, intended, sent int64) {
	t.completed++
	t.latency.record(now - intended)
	if intended != sent {
		t.fromSending.record(now - sent)
	}
}

// failed counts the requests that were not answered as expected.
func (t *tally) failed() int64 { return sum(&t.failures) }

func sum(counts *[failures]int64) (n int64) {
	for _, count := range counts {
		n += count
	}
	return n
}

// add takes another thread's tally in.
func (t *tally) add(other *tally) {
	t.completed += other.completed
	t.unsent += other.unsent
	for i := range t.failures {
		t.failures[i] += other.failures[i]
		t.attemptsFailed[i] += other.attemptsFailed[i]
	}
	t.lost += other.lost
	t.sentBytes += other.sentBytes
	t.receivedBytes += other.receivedBytes
	t.latency.add(&other.latency)
	t.fromSending.add(&other.fromSending)
}

// histogram keeps nanoseconds to three digits, and the least and the most
// exactly.
type histogram struct {
	values      *hdrhistogram.Histogram
	least, most int64
}

func newHistogram() histogram {
	return histogram{values: hdrhistogram.New(1, highest, digits), least: math.MaxInt64}
}

func (h *histogram) record(ns int64) {
	h.least = min(h.least, ns)
	h.most = max(h.most, ns)
	// Only a value beyond the highest could be refused.
	_ = h.values.RecordValue(min(ns, highest))
}

func (h *histogram) add(other *histogram) {
	h.least = min(h.least, other.least)
	h.most = max(h.most, other.most)
	h.values.Merge(other.values)
}

// quantile gives the value at or below which the fraction of all lies, at its
// bucket's upper edge but never above the most.
func (h *histogram) quantile(fraction float64) int64 {
	return min(h.values.ValueAtQuantile(100*fraction), h.most)
}

// Latency is a histogram's summary in nanoseconds.
type Latency struct {
	Min  int64 `json:"min"`
	P50  int64 `json:"p50"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p999"`
	Max  int64 `json:"max"`
}

func (h *histogram) summary() Latency {
	if h.values.TotalCount() == 0 {
		return Latency{}
	}
	return Latency{h.least, h.quantile(0.5), h.quantile(0.99), h.quantile(0.999), h.most}
}

// encoded is the V2 compressed form in base64.
func (h *histogram) encoded() string {
	text, err := h.values.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return ""
	}
	return string(text)
}
