package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

func bombardierArguments(url string, connections int, length time.Duration) []string {
	return []string{"-c", strconv.Itoa(connections), "-d", length.String(), "-l", "-o", "json", "-p", "r", url}
}

// bombardierOutput is what bombardier prints as JSON; its latencies are in
// microseconds, and it gives no smallest one.
type bombardierOutput struct {
	Result *struct {
		Seconds float64 `json:"timeTakenSeconds"`
		Req1xx  int64   `json:"req1xx"`
		Req2xx  int64   `json:"req2xx"`
		Req3xx  int64   `json:"req3xx"`
		Req4xx  int64   `json:"req4xx"`
		Req5xx  int64   `json:"req5xx"`
		Others  int64   `json:"others"`
		Latency struct {
			Max         float64            `json:"max"`
			Percentiles map[string]float64 `json:"percentiles"`
		} `json:"latency"`
	} `json:"result"`
}

func readBombardier(output []byte) (report, error) {
	var o bombardierOutput
	if err := json.Unmarshal(output, &o); err != nil {
		return report{}, fmt.Errorf("its report is not JSON: %w", err)
	}
	if o.Result == nil || !(o.Result.Seconds > 0) {
		return report{}, errors.New("its report names no time taken")
	}
	r, microseconds := o.Result, func(us float64) int64 { return int64(us * 1000) }
	return report{
		Completed: r.Req2xx,
		Failed:    r.Req1xx + r.Req3xx + r.Req4xx + r.Req5xx + r.Others,
		WindowNS:  int64(r.Seconds * 1e9),
		LatencyNS: latency{P50: microseconds(r.Latency.Percentiles["50"]), P99: microseconds(r.Latency.Percentiles["99"]), Max: microseconds(r.Latency.Max)},
	}, nil
}
