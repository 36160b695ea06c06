package serve

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Counts is what a server has done since it began.
type Counts struct {
	Accepted int64 `json:"accepted"`  // connections
	Replied  int64 `json:"replied"`   // requests answered
	TimedOut int64 `json:"timed_out"` // connections closed because a bound ran out
	Refused  int64 `json:"refused"`   // connections beyond the limit, and requests that were not understood
}

// Report is the line a server prints when it has stopped.
type Report struct {
	Path string `json:"path"`
	Counts
	Window *Window `json:"window,omitempty"`
}

// Versions gives a description followed by the versions of Go and of the named
// modules in this program, because an allocation count holds for those only.
func Versions(description string, modules ...string) string {
	parts := []string{description, runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, name := range modules {
			for _, m := range info.Deps {
				if m.Path == name {
					parts = append(parts, name+" "+m.Version)
				}
			}
		}
	}
	return strings.Join(parts, ", ")
}
