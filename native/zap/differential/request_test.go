package differential

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"nullius/zap/naive"
	"nullius/zap/wire"
)

// vectors gives every published message, and all of them without their first
// four bytes, which may be a length prefix.
func vectors(t testing.TB) (all [][]byte) {
	text, err := os.ReadFile("../wire/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		var named map[string]string
		if json.Unmarshal(group, &named) != nil {
			continue // what the file is about
		}
		for name, text := range named {
			b, err := hex.DecodeString(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, b, b[min(len(b), wire.PrefixBytes):])
		}
	}
	return all
}

// headers reads a headers or trailer slot into a map.
func headers(h []byte) (map[string][]string, error) {
	read := map[string][]string{}
	var c wire.Cursor
	for c.Reset(h, nil); c.Next(); {
		name := string(c.Name)
		read[name] = append(read[name], string(c.Value))
	}
	return read, c.Err()
}

// compare fails unless both decoders say the same of a message.
func compare(t *testing.T, message []byte) {
	t.Helper()
	var r wire.Request
	err := r.Decode(message)
	var header, trailer map[string][]string
	if err == nil {
		header, err = headers(r.Headers)
	}
	if err == nil {
		trailer, err = headers(r.Trailer)
	}
	other, otherErr := naive.Decode(message)
	if (err == nil) != (otherErr == nil) {
		t.Fatalf("%x\nwire says %v, naive %v", message, err, otherErr)
	}
	if err != nil {
		return
	}
	if !bytes.Equal(r.Method, other.Method) || !bytes.Equal(r.Target, other.Target) || !bytes.Equal(r.Proto, other.Proto) || !bytes.Equal(r.Body, other.Body) ||
		!maps.EqualFunc(header, other.Header, slices.Equal) || !maps.EqualFunc(trailer, other.Trailer, slices.Equal) {
		t.Fatalf("%x\nwire reads %q %q %q, naive %q", message, r, header, trailer, other)
	}
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) < 20 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, message := range all {
		compare(t, message)
	}
}

func FuzzRequest(f *testing.F) {
	for _, message := range vectors(f) {
		f.Add(message)
	}
	f.Fuzz(compare)
}

// The headers alone: the fuzzer need not find a message around them.
func FuzzHeaders(f *testing.F) {
	for _, text := range []string{`{"A":["1","\u003c\ud83d\ude00"],"B":[]}`, ` { "A" : [ "é" ] } `, `{}`, `{"B":["1"],"A":["2"]}`, `{"A":["\r"]}`} {
		f.Add([]byte(text), []byte(nil))
		f.Add([]byte(nil), []byte(text))
	}
	f.Fuzz(func(t *testing.T, header, trailer []byte) {
		message, err := wire.AppendRequest(nil, &wire.Request{Method: []byte("GET"), Target: []byte("/"), Headers: header, Body: []byte("body"), Trailer: trailer})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, message)
	})
}
