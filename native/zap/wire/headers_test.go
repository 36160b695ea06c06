package wire

import (
	"encoding/json"
	"testing"
)

func TestAppendHeadersAsEncodingJSON(t *testing.T) {
	h := []Header{{"X-B", []string{"<a>&\"\\\t", "é\u2028\u2029"}}, {"A", []string{"1"}}, {"X-B", []string{"3"}}, {"Empty", nil}}
	want, _ := json.Marshal(map[string][]string{"A": {"1"}, "X-B": {"<a>&\"\\\t", "é\u2028\u2029", "3"}})
	got, err := AppendHeaders(nil, h)
	if err != nil || string(got) != string(want) {
		t.Fatalf("%v\n got %s\nwant %s", err, got, want)
	}
	var c Cursor
	var read []string
	for c.Reset(got, nil); c.Next(); {
		read = append(read, string(c.Name)+"="+string(c.Value))
	}
	if c.Err() != nil || len(read) != 4 || read[1] != "X-B=<a>&\"\\\t" || read[3] != "X-B=3" {
		t.Fatalf("%v %q", c.Err(), read)
	}
}
