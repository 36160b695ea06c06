package load

// Report is the line the loader prints: LoaderReport of
// pipeline/hosts/trial.ts and what only a loader of requests knows. What could
// not be read is left out rather than given as 0.
type Report struct {
	Completed int64            `json:"completed"`
	Failed    int64            `json:"failed"`
	Failures  map[string]int64 `json:"failures"`
	// WarmupFailed were not answered as expected before the window.
	WarmupFailed int64 `json:"warmup_failed"`
	// WindowNS is from the first request to the last reply.
	WindowNS    int64  `json:"window_ns"`
	LoaderCPUNS int64  `json:"loader_cpu_ns"`
	ServerCPUNS *int64 `json:"server_cpu_ns,omitempty"`
	Segments    *int64 `json:"segments,omitempty"`
	SilentOpen  int    `json:"silent_open"`
	// LatencyNS counts from when a request was meant to be sent; in the closed
	// loop that is when it was.
	LatencyNS Latency `json:"latency_ns"`
	Histogram string  `json:"histogram,omitempty"`

	Protocol string `json:"protocol"`
	Target   string `json:"target"`
	Depth    int    `json:"depth"`
	// Connections were open when the window opened.
	Connections int `json:"connections"`
	// LoaderCPUShare is the share of one processor, LoaderCPUNS over WindowNS.
	LoaderCPUShare float64 `json:"loader_cpu_share"`
	// AchievedRate is replies as expected per second, OfferedRate what the open
	// loop was asked for.
	AchievedRate float64  `json:"achieved_rate"`
	OfferedRate  *float64 `json:"offered_rate,omitempty"`
	// UncorrectedNS is what the open loop's latency would look like if it
	// counted from when each request found room.
	UncorrectedNS *Latency `json:"uncorrected_latency_ns,omitempty"`
	// Unsent requests of an open loop were due when it ended.
	Unsent        int64 `json:"unsent"`
	RequestBytes  int   `json:"request_bytes"`
	SentBytes     int64 `json:"sent_bytes"`
	ReceivedBytes int64 `json:"received_bytes"`
	// Lost are established connections that ended, ConnectFailures attempts to
	// open one that failed, by reason; both from the beginning on.
	Lost            int64            `json:"lost_connections"`
	ConnectFailures map[string]int64 `json:"connect_failures,omitempty"`
	// Complaint says what was wrong with the first reply that could not be read.
	Complaint string `json:"complaint,omitempty"`
	// Stopped is true when SIGTERM ended it early.
	Stopped bool `json:"stopped,omitempty"`
}

func byName(counts *[failures]int64) map[string]int64 {
	named := map[string]int64{}
	for why, n := range counts {
		if n > 0 {
			named[failureNames[why]] = n
		}
	}
	return named
}

// difference is nil where one of both could not be read.
func difference(before, after int64) *int64 {
	if before < 0 || after < 0 {
		return nil
	}
	d := after - before
	return &d
}
