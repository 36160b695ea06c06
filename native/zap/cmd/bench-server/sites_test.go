package main

import (
	"strings"
	"testing"

	"nullius/zap/serve"
)

func planFor(t *testing.T, server string) plan {
	t.Helper()
	p := plan{subject: subjects[server], operations: 1, warmup: 1, depth: 1}
	var err error
	if p.requests, err = p.subject.requests("/health", false); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSites: the naive server allocates at the article's three places and at no
// fourth, the pooled one nowhere.
func TestSites(t *testing.T) {
	for server, want := range map[string]int64{"naive": 3, "pooled": 0} {
		if got, err := sites(planFor(t, server), serve.Defaults()); err != nil || got != want {
			t.Errorf("%s allocates at %d places, %v, want %d", server, got, err, want)
		}
	}
}

func TestSameBytes(t *testing.T) {
	if got, err := sameBytes(planFor(t, "pooled"), serve.Defaults()); err != nil || !strings.HasPrefix(got, "identical replies") {
		t.Errorf("%q, %v", got, err)
	}
}
