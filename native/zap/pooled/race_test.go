//go:build race

package pooled

// Under the race detector a sync.Pool drops some of what it is given, so
// allocations are not counted.
func init() { underRace = true }
