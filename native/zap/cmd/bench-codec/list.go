package main

import (
	"encoding/json"
	"io"

	"nullius/zap/codecs"
)

// listed is what one codec does for one record.
type listed struct {
	Codec string `json:"codec"`
	Path  string `json:"path"`
	// Allocations is by operation and by records, per operation.
	Allocations map[string]map[string]float64 `json:"allocations"`
	// WireBytes is by operation and by records, per operation.
	WireBytes map[string]map[string]int64 `json:"wire_bytes"`
}

// countedOperations is over how many operations allocations are counted. What the
// runtime allocates now and then by itself vanishes in rounding to hundredths.
const countedOperations = 20_000

// printList counts the allocations of every codec and operation, here and now.
func printList(out io.Writer) error {
	var all []listed
	for _, name := range codecs.Names() {
		entry := listed{Codec: name, Allocations: map[string]map[string]float64{}, WireBytes: map[string]map[string]int64{}}
		for _, operation := range []string{"decode", "encode", "handler"} {
			entry.Allocations[operation], entry.WireBytes[operation] = map[string]float64{}, map[string]int64{}
			for _, records := range []string{"server", "both"} {
				w, err := codecs.NewWorkload(name, operation, records == "both")
				if err != nil {
					return err
				}
				report, err := measure(w, 1000, countedOperations)
				if err != nil {
					return err
				}
				entry.Path = w.Path()
				entry.Allocations[operation][records] = float64(report.Allocations*100/countedOperations) / 100
				entry.WireBytes[operation][records] = w.Bytes()
			}
		}
		all = append(all, entry)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}
