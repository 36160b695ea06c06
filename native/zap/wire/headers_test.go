package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// published gives headers as the published code writes them.
func published(t testing.TB, h []Header) string {
	m := map[string][]string{}
	for _, header := range h {
		if len(header.Values) > 0 {
			m[header.Name] = append(m[header.Name], header.Values...)
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAppendHeadersAsPublished(t *testing.T) {
	for _, h := range [][]Header{
		{{"User-Agent", []string{"bench"}}},
		{{"Content-Type", []string{"text/plain; charset=utf-8"}}},
		{{"X-B", []string{"<a>&\"\\\t", "é\u2028\u2029\u2027"}}, {"A", []string{"1"}}, {"X-B", []string{"3"}}, {"Empty", nil}},
		{{"C", []string{""}}, {"B", []string{"2"}}, {"A", []string{"1"}}, {"a", []string{"/"}}},
		{{"&!'", []string{"\u2028", "x\u2029y", "\U0001F600 𐍈"}}},
	} {
		before := fmt.Sprint(h)
		got, err := AppendHeaders([]byte("kept"), h)
		if want := "kept" + published(t, h); err != nil || string(got) != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
		if fmt.Sprint(h) != before {
			t.Errorf("the argument became %v", h)
		}
	}
	if got, err := AppendHeaders(nil, []Header{{"A", nil}}); len(got) != 0 || err != nil {
		t.Errorf("headers without values: %q %v", got, err)
	}
}

func TestAppendHeadersRefuses(t *testing.T) {
	many := make([]Header, MaxHeaderFields+1)
	for i := range many {
		many[i] = Header{fmt.Sprintf("H%03d", i), []string{"x"}}
	}
	for _, c := range []struct {
		name string
		h    []Header
		want Error
	}{
		{"no name", []Header{{"", []string{"x"}}}, Error{"header name", 0, BadCharacter}},
		{"CRLF in name", []Header{{"A\r\nB", []string{"x"}}}, Error{"header name", 0, BadCharacter}},
		{"colon in name", []Header{{"A", []string{"x"}}, {"B:", []string{"x"}}}, Error{"header name", 10, BadCharacter}},
		{"é in name", []Header{{"é", []string{"x"}}}, Error{"header name", 0, BadCharacter}},
		{"CR", []Header{{"A", []string{"\r"}}}, Error{"header value", 5, BadCharacter}},
		{"LF", []Header{{"A", []string{"x", "a\nb"}}}, Error{"header value", 9, BadCharacter}},
		{"NUL", []Header{{"A", []string{"\x00"}}}, Error{"header value", 5, BadCharacter}},
		{"DEL", []Header{{"A", []string{"\x7f"}}}, Error{"header value", 5, BadCharacter}},
		{"Latin-1", []Header{{"A", []string{"caf\xe9"}}}, Error{"header value", 5, BadUTF8}},
		{"names", many, Error{"headers", 13 * MaxHeaderFields, TooMany}},
		{"values", []Header{{"A", slices.Repeat([]string{""}, MaxHeaderFields+1)}}, Error{"headers", 5 + 3*MaxHeaderFields, TooMany}},
		{"long", []Header{{"A", []string{strings.Repeat("x", MaxHeadersBytes-9)}}}, Error{"headers", MaxHeadersBytes, TooLong}},
	} {
		got, err := AppendHeaders([]byte("kept"), c.h)
		wantFault(t, c.name, err, c.want)
		if string(got) != "kept" {
			t.Errorf("%s: dst became %.20q", c.name, got)
		}
	}
	longest := []Header{{"A", []string{strings.Repeat("x", MaxHeadersBytes-10)}}}
	if got, err := AppendHeaders(nil, longest); err != nil || len(got) != MaxHeadersBytes {
		t.Errorf("the longest headers: %v, %d bytes", err, len(got))
	}
	if got, err := AppendHeaders(nil, many[1:]); err != nil || Headers(got).Check() != nil {
		t.Errorf("%d names: %v", MaxHeaderFields, err)
	}
}

func TestAppendHeadersAllocations(t *testing.T) {
	h := []Header{{"X-B", []string{"<a>", "b"}}, {"A", []string{"1"}}, {"C", []string{"\u2028"}}}
	buffer := make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() { buffer, _ = AppendHeaders(buffer[:0], h) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
