package main

import (
	"errors"
	"regexp"
	"strconv"
	"time"
)

func heyArguments(url string, connections int, length time.Duration) []string {
	return []string{"-z", length.String(), "-c", strconv.Itoa(connections), url}
}

var (
	heyTotal   = regexp.MustCompile(`(?m)^\s*Total:\s+([\d.]+) secs`)
	heyFastest = regexp.MustCompile(`(?m)^\s*Fastest:\s+([\d.]+) secs`)
	heySlowest = regexp.MustCompile(`(?m)^\s*Slowest:\s+([\d.]+) secs`)
	heyP50     = regexp.MustCompile(`(?m)^\s*50%+ in ([\d.]+) secs`)
	heyP99     = regexp.MustCompile(`(?m)^\s*99%+ in ([\d.]+) secs`)
	heyStatus  = regexp.MustCompile(`(?m)^\s*\[(\d{3})\]\t(\d+) responses`)
	heyError   = regexp.MustCompile(`(?m)^\s*\[(\d+)\]\t[^\n]*$`)
)

// readHey reads hey's summary. Its times have four digits after the second's
// point, so latencies are known to a tenth of a millisecond.
func readHey(output []byte) (report, error) {
	total := seconds(heyTotal, output)
	if total == 0 {
		return report{}, errors.New("the summary names no total time")
	}
	r := report{
		WindowNS:  total,
		LatencyNS: latency{Min: seconds(heyFastest, output), P50: seconds(heyP50, output), P99: seconds(heyP99, output), Max: seconds(heySlowest, output)},
	}
	for _, row := range heyStatus.FindAllSubmatch(output, -1) {
		if n, _ := strconv.ParseInt(string(row[2]), 10, 64); row[1][0] == '2' {
			r.Completed += n
		} else {
			r.Failed += n
		}
	}
	if at := errorsOf(output); at >= 0 {
		for _, row := range heyError.FindAllSubmatch(output[at:], -1) {
			n, _ := strconv.ParseInt(string(row[1]), 10, 64)
			r.Failed += n
		}
	}
	if r.Completed+r.Failed == 0 {
		return report{}, errors.New("the summary counts no replies")
	}
	return r, nil
}

// errorsOf is where the counts of errors begin, -1 where there are none: they
// look like those of statuses.
func errorsOf(output []byte) int {
	at := regexp.MustCompile(`(?m)^Error distribution:$`).FindIndex(output)
	if at == nil {
		return -1
	}
	return at[1]
}

// seconds gives the first number that the pattern finds, in nanoseconds.
func seconds(pattern *regexp.Regexp, output []byte) int64 {
	row := pattern.FindSubmatch(output)
	if row == nil {
		return 0
	}
	value, _ := strconv.ParseFloat(string(row[1]), 64)
	return int64(value*1e9 + 0.5)
}
