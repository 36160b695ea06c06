package naive

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseHeader(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`:                                nil,
		` { } `:                             nil,
		`{"A":[]}`:                          nil,
		`{"A":["b"]}`:                       {"b"},
		`{"A":["b","c"],"B":[""]}`:          {"b", "c"},
		"{\"A\" :\t[ \"b\" , \"c\" ] }\r\n": {"b", "c"},
		`{"A":["\u003c\u003E\u0026"]}`:      {"<>&"},
		`{"A":["\ud83d\ude00"]}`:            {"😀"},
		`{"A":["\ufffd"]}`:                  {"\ufffd"},
		`{"A":["\t\/\"\\"]}`:                {"\t/\"\\"},
		`{"\u0041":["b"]}`:                  {"b"},
		`{"A":["é"]}`:                       {"é"},
		`{"A":["b"],"a":["c"]}`:             {"b"},
	} {
		h, err := parseHeader([]byte(text))
		if err != nil || !slices.Equal(h["A"], want) {
			t.Errorf("%s: %q %v", text, h, err)
		}
	}
}

func TestParseHeaderRefuses(t *testing.T) {
	for _, text := range []string{
		`{"A":["\ud83d"]}`, `{"A":["\ude00\ud83d"]}`, `{"A":["\u000d"]}`, `{"A":["\n"]}`, `{"A":["\b"]}`, `{"A":["\u007f"]}`,
		"{\"A\":[\"\t\"]}", "{\"A\":[\"\x7f\"]}", "{\"A\":[\"\xff\"]}", `{"A":["\x"]}`, `{"A":["\u12"]}`, `{"A":["\u00G0"]}`, `{"A":["\u00:0"]}`,
		`{"A":["\`, `{"A":["\u`, `{"A":["`, `{"A":[`, `{"A"`, `{`, ``, `{"\u0042":["b"],"A":["c"]}`, `{"":["b"]}`, `{"A B":["b"]}`, `{"é":["b"]}`,
		`{"A":"b"}`, `{"A":[1]}`, `{"A":[null]}`, `{"A":["b",]}`, `{"A":["b"],}`, `{,}`, `{"A":["b"]}x`, `["A"]`, `null`,
		`{"B":["b"],"A":["b"]}`, `{"A":["b"],"A":["b"]}`, `{"a":["b"],"A":["b"]}`,
	} {
		if h, err := parseHeader([]byte(text)); err == nil {
			t.Errorf("%s is read as %q", text, h)
		}
	}
}

// TestManyHeaders is at and beyond the limits of names, values and bytes.
func TestManyHeaders(t *testing.T) {
	for _, n := range []int{maxHeaders, maxHeaders + 1} {
		values := `{"A":["b"` + strings.Repeat(`,"b"`, n-1) + `]}`
		names := `{"a000":[]`
		for i := 1; i < n; i++ {
			names += fmt.Sprintf(`,"a%03d":[]`, i)
		}
		for _, text := range []string{values, names + "}"} {
			if _, err := parseHeader([]byte(text)); (err == nil) != (n <= maxHeaders) {
				t.Errorf("%d names or values: %v", n, err)
			}
		}
	}
	for _, n := range []int{maxHeaderBytes, maxHeaderBytes + 1} {
		const around = len(`{"A":[""]}`)
		if _, err := parseHeader([]byte(`{"A":["` + strings.Repeat("b", n-around) + `"]}`)); (err == nil) != (n <= maxHeaderBytes) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
