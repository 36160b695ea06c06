package codecs

import (
	"strings"
	"testing"
)

// A workload of n operations has read or written every record of the ring: its sum
// is the sum of theirs.
func TestWorkloadSums(t *testing.T) {
	c, _ := New("zap", Records())
	var decode, decodeBoth, encode, encodeBoth uint64
	for i := range recordCount {
		request, response := encoded(t, c.EncodeRequest, i), encoded(t, c.EncodeResponse, i)
		q, _ := c.DecodeRequest(request)
		p, _ := c.DecodeResponse(response)
		decode, decodeBoth = decode+q, decodeBoth+q+p
		encode, encodeBoth = encode+last(response), encodeBoth+last(request)+last(response)
	}
	for _, test := range []struct {
		operation string
		both      bool
		bytes     int64
		sink      uint64
	}{
		{"decode", false, 82, decode}, {"decode", true, 162, decodeBoth},
		{"encode", false, 80, encode}, {"encode", true, 162, encodeBoth},
		{"handler", false, 162, encode}, {"handler", true, 162, encode},
	} {
		w, err := NewWorkload("zap", test.operation, test.both)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(3 * recordCount); err != nil {
			t.Fatal(err)
		}
		if w.Sink != 3*test.sink || w.Bytes() != test.bytes {
			t.Errorf("%s, both %v: sum %d, %d bytes; want %d, %d", test.operation, test.both, w.Sink, w.Bytes(), 3*test.sink, test.bytes)
		}
	}
}

func TestEveryWorkloadRuns(t *testing.T) {
	for _, name := range Names() {
		for _, operation := range []string{"decode", "encode", "handler"} {
			for _, both := range []bool{false, true} {
				w, err := NewWorkload(name, operation, both)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Run(recordCount + 1); err != nil {
					t.Errorf("%s %s: %v", name, operation, err)
				}
			}
		}
	}
}

func TestNewWorkloadRefuses(t *testing.T) {
	if _, err := NewWorkload("zap", "clone", false); err == nil || !strings.Contains(err.Error(), `"clone"`) {
		t.Errorf("%v", err)
	}
	if _, err := NewWorkload("xml", "decode", false); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("%v", err)
	}
}
