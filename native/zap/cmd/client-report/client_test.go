package main

import (
	"os"
	"testing"
)

// read gives what a client printed once, and what is read from it.
func read(t *testing.T, name, file string) (report, error) {
	t.Helper()
	output, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return clients[name].read(output)
}

func TestReports(t *testing.T) {
	for _, c := range []struct {
		client, file string
		want         report
	}{
		{"hey", "hey.txt", report{Completed: 1829, WindowNS: 302_400_000, LatencyNS: latency{100_000, 1_100_000, 3_700_000, 5_500_000}}},
		{"hey", "hey-refused.txt", report{Failed: 3488, WindowNS: 304_300_000}},
		{"bombardier", "bombardier.json", report{Completed: 27107, WindowNS: 999_375_757, LatencyNS: latency{0, 269_000, 719_000, 4_687_000}}},
		{"bombardier", "bombardier-refused.json", report{Failed: 17043, WindowNS: 1_000_639_167, LatencyNS: latency{0, 47_000, 2_745_000, 11_796_000}}},
	} {
		got, err := read(t, c.client, c.file)
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", c.file, got, err, c.want)
		}
	}
}

func TestOtherOutput(t *testing.T) {
	for name, c := range clients {
		for _, output := range []string{"", "flag provided but not defined", "{}", "Summary:\n  Total:\t1.0 secs\n"} {
			if got, err := c.read([]byte(output)); err == nil {
				t.Errorf("%s: %q was read as %+v", name, output, got)
			}
		}
	}
}
