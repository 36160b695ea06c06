package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// pairs reads all of the headers as name=value.
func pairs(h string, scratch []byte) (all []string, err error) {
	var c Cursor
	for c.Reset(Headers(h), scratch); c.Next(); {
		all = append(all, string(c.Name)+"="+string(c.Value))
	}
	return all, c.Err()
}

func TestCursorReads(t *testing.T) {
	for text, want := range map[string][]string{
		``:                          nil,
		`{}`:                        nil,
		` { } `:                     nil,
		`{"A":["1"]}`:               {"A=1"},
		`{"A":[]}`:                  nil,
		`{"A":[],"B":["2"],"C":[]}`: {"B=2"},
		`{"A":["1","2",""],"B":["long enough for two words of eight"]}`: {"A=1", "A=2", "A=", "B=long enough for two words of eight"},
		"\t{ \"A\" :\r\n[ \"1\" , \"2\" ] , \"B\" : [ \"3\" ] }\n":      {"A=1", "A=2", "B=3"},
		`{"A":["\u003ca\u003E\u0026"]}`:                                 {"A=<a>&"},
		`{"A":["a\tb\"c\\d\/e"]}`:                                       {"A=a\tb\"c\\d/e"},
		`{"A":["\ud83d\ude00 x"]}`:                                      {"A=\U0001F600 x"},
		`{"A":["é😀","\u00e9"]}`:                                         {"A=é😀", "A=é"},
		`{"\u0041b":["1"],"B":["2"]}`:                                   {"Ab=1", "B=2"},
		`{"A":["\u0061\u0062"],"B":["cd"]}`:                             {"A=ab", "B=cd"},
	} {
		got, err := pairs(text, nil)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, got %q, want %q", text, err, got, want)
		}
	}
}

func TestCursorRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		want Error
	}{
		{`[`, Error{"headers", 1, BadJSON}},
		{`{`, Error{"headers", 1, BadJSON}},
		{`null`, Error{"headers", 1, BadJSON}},
		{` `, Error{"headers", 1, BadJSON}},
		{`{}}`, Error{"headers", 3, BadJSON}},
		{"{}\x00", Error{"headers", 3, BadJSON}},
		{`{"A":["1"]`, Error{"headers", 10, BadJSON}},
		{`{"A":["1"]}x`, Error{"headers", 12, BadJSON}},
		{`{"A":["1"],}`, Error{"headers", 12, BadJSON}},
		{`{"A":["1",]}`, Error{"headers", 11, BadJSON}},
		{`{"A":["1""2"]}`, Error{"headers", 10, BadJSON}},
		{`{"A":[,"1"]}`, Error{"headers", 7, BadJSON}},
		{`{"A":"1"}`, Error{"headers", 6, BadJSON}},
		{`{"A":[1]}`, Error{"headers", 7, BadJSON}},
		{`{"A":null}`, Error{"headers", 6, BadJSON}},
		{`{"A" "1"}`, Error{"headers", 6, BadJSON}},
		{`{A:["1"]}`, Error{"headers", 2, BadJSON}},
		{`{,"A":["1"]}`, Error{"headers", 2, BadJSON}},
		{`{"A":["1`, Error{"header value", 8, Truncated}},
		{`{"A":["1\`, Error{"header value", 8, BadEscape}},
		{`{"A`, Error{"header name", 3, Truncated}},
		{`{"":["1"]}`, Error{"header name", 2, BadCharacter}},
		{`{"A B":["1"]}`, Error{"header name", 2, BadCharacter}},
		{`{"A:":["1"]}`, Error{"header name", 2, BadCharacter}},
		{`{"A\u000a":["1"]}`, Error{"header name", 3, BadCharacter}},
		{"{\"A\r\":[\"1\"]}", Error{"header name", 3, BadCharacter}},
		{"{\"A\":[\"1\r\n\"]}", Error{"header value", 8, BadCharacter}},
		{"{\"A\":[\"\x7f\"]}", Error{"header value", 7, BadCharacter}},
		{"{\"A\":[\"12345678\x00\"]}", Error{"header value", 15, BadCharacter}},
		{`{"A":["1\r"]}`, Error{"header value", 8, BadCharacter}},
		{`{"A":["1\n"]}`, Error{"header value", 8, BadCharacter}},
		{`{"A":["\u0000"]}`, Error{"header value", 7, BadCharacter}},
		{`{"A":["\u000D"]}`, Error{"header value", 7, BadCharacter}},
		{`{"A":["\b"]}`, Error{"header value", 7, BadCharacter}},
		{`{"A":["\f"]}`, Error{"header value", 7, BadCharacter}},
		{`{"A":["\u007f"]}`, Error{"header value", 7, BadCharacter}},
		{`{"A":["\x41"]}`, Error{"header value", 7, BadEscape}},
		{`{"A":["\u12g4"]}`, Error{"header value", 7, BadEscape}},
		{`{"A":["\ud83d"]}`, Error{"header value", 7, BadEscape}},
		{`{"A":["\ud83d\u0041"]}`, Error{"header value", 7, BadEscape}},
		{`{"A":["\ude00\ud83d"]}`, Error{"header value", 7, BadEscape}},
		{"{\"A\":[\"\xe9\"]}", Error{"header value", 7, BadUTF8}},
		{"{\"A\":[\"\xed\xa0\xbd\"]}", Error{"header value", 7, BadUTF8}},
		{`{"A":["1"],"A":["2"]}`, Error{"header name", 12, Unsorted}},
		{`{"A":["1"],"\u0041":["2"]}`, Error{"header name", 12, Unsorted}},
		{`{"B":["1"],"A":["2"]}`, Error{"header name", 12, Unsorted}},
		{`{"A":["` + strings.Repeat("x", MaxHeadersBytes) + `"]}`, Error{"headers", MaxHeadersBytes, TooLong}},
		{`{"A":[""` + strings.Repeat(`,""`, MaxHeaderFields) + `]}`, Error{"headers", 7 + 3*MaxHeaderFields, TooMany}},
	} {
		_, err := pairs(c.text, nil)
		wantFault(t, fmt.Sprintf("%.40s", c.text), err, c.want)
		wantFault(t, fmt.Sprintf("%.40s", c.text), Headers(c.text).Check(), c.want)
	}
}

// Too many names, and a Cursor that goes on failing and can be used again.
func TestCursorAfterAnError(t *testing.T) {
	var text strings.Builder
	for i := range MaxHeaderFields + 1 {
		fmt.Fprintf(&text, `,"H%03d":[]`, i)
	}
	var c Cursor
	c.Reset(Headers("{"+text.String()[1:]+"}"), nil)
	for range 3 {
		if c.Next() {
			t.Fatal("Next after an error")
		}
		wantFault(t, "names", c.Err(), Error{"headers", 2 + 10*MaxHeaderFields, TooMany})
	}
	c.Reset(Headers(`{"A":["1"]}`), nil)
	if !c.Next() || string(c.Value) != "1" || c.Next() || c.Next() || c.Err() != nil {
		t.Fatalf("%q %v", c.Value, c.Err())
	}
}

// Every byte at every place of a value: eight bytes at a step must see what a
// look at each byte sees.
func TestCursorCharacters(t *testing.T) {
	for n := 1; n <= 18; n++ {
		for at := range n {
			for b := range 256 {
				value := []byte(strings.Repeat("a", n))
				value[at] = byte(b)
				got, err := pairs(`{"A":["`+string(value)+`"]}`, nil)
				good := b >= ' ' && b < 0x7f && b != '"' && b != '\\'
				if good != (err == nil) || good && got[0] != "A="+string(value) {
					t.Fatalf("%q: %q %v", value, got, err)
				}
			}
		}
	}
}

func TestCursorAllocations(t *testing.T) {
	text := Headers(`{ "A":["\u003ca\u003e","é","\ud83d\ude00"],"\u0042":["plain"] }`)
	scratch := make([]byte, 0, len(text))
	var c Cursor
	count := 0
	if n := testing.AllocsPerRun(100, func() {
		for c.Reset(text, scratch); c.Next(); {
			count++
		}
	}); n != 0 || c.Err() != nil {
		t.Errorf("%v allocations, %v", n, c.Err())
	}
	if count != 4*101 {
		t.Errorf("%d values", count)
	}
}

// What was read before stays good while the cursor goes on.
func TestCursorViewsStay(t *testing.T) {
	var c Cursor
	var values [][]byte
	text := `{"A":["\u0061","\u0062","\u0063\u0064"]}`
	for c.Reset(Headers(text), make([]byte, 0, 1)); c.Next(); {
		values = append(values, c.Value)
	}
	if got := fmt.Sprintf("%s", values); got != "[a b cd]" {
		t.Errorf("%s, %v", got, c.Err())
	}
}
