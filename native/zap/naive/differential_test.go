package naive

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"nullius/zap/memory"
	"nullius/zap/serve"
	"nullius/zap/wire"
)

// vectors gives all vectors, without length prefixes of the connection.
func vectors(t testing.TB) (all [][]byte) {
	t.Helper()
	text, err := os.ReadFile("../wire/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"http", "record", "hostile"} {
		var named map[string]string
		if err := json.Unmarshal(groups[group], &named); err != nil {
			t.Fatal(err)
		}
		for name, digits := range named {
			b, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, b, b[min(len(b), wire.PrefixBytes):])
		}
	}
	return all
}

// headers gives what package wire reads in headers.
func headers(h wire.Headers) (Header, error) {
	if len(h) == 0 {
		return nil, nil
	}
	all := Header{}
	var c wire.Cursor
	for c.Reset(h, nil); c.Next(); {
		all.add(c.Name, c.Value)
	}
	return all, c.Err()
}

// agree fails unless both codecs refuse a message or read the same in it.
func agree(t *testing.T, message []byte) {
	var ours Request
	var theirs wire.Request
	failed := ours.decode(message)
	err := theirs.Decode(message)
	var header, trailer Header
	if err == nil {
		header, err = headers(theirs.Headers)
	}
	if err == nil {
		trailer, err = headers(theirs.Trailer)
	}
	if (err == nil) != (failed == nil) {
		t.Fatalf("wire: %v, naive: %v\n%q", err, failed, message)
	}
	if err != nil {
		return
	}
	same := bytes.Equal(ours.Method, theirs.Method) && bytes.Equal(ours.Target, theirs.Target) &&
		bytes.Equal(ours.Proto, theirs.Proto) && bytes.Equal(ours.Body, theirs.Body) &&
		sameHeader(ours.Header, header) && sameHeader(ours.Trailer, trailer)
	if !same {
		t.Fatalf("read differently:\n%+v\n%+v %v %v", ours, theirs, header, trailer)
	}
}

func sameHeader(a, b Header) bool {
	for name := range a {
		if !slices.Equal(a[name], b[name]) {
			return false
		}
	}
	return len(a) == len(b)
}

// texts are headers at the edges of what is allowed.
var texts = []string{
	``, `{}`, ` { } `, `{"A":[]}`, `{"A":["b"]}`, `{"A":["b","c"],"B":[""]}`, "{\"A\" :\t[ \"b\" , \"c\" ] }\r\n",
	`{"A":["\u003c\u003e\u0026"]}`, `{"A":["\ud83d\ude00"]}`, `{"A":["\ud83d"]}`, `{"A":["\ude00\ud83d"]}`, `{"A":["\ufffd"]}`,
	`{"A":["\u000d"]}`, `{"A":["\n"]}`, `{"A":["\t"]}`, "{\"A\":[\"\t\"]}", "{\"A\":[\"\x7f\"]}", "{\"A\":[\"\xff\"]}", `{"A":["\u007f"]}`,
	`{"A":["\x"]}`, `{"A":["\u12"]}`, `{"A":["\u00G0"]}`, `{"A":["\u00:0"]}`, `{"A":["\`, `{"A":["\u`, `{"\u0041":["b"]}`, `{"\u0042":["b"],"A":["c"]}`,
	`{"":["b"]}`, `{"A B":["b"]}`, `{"A":"b"}`, `{"A":[1]}`, `{"A":[null]}`, `{"A":["b",]}`, `{"A":["b"],}`, `{,}`, `{"A":["b"]}x`, `["A"]`, `null`,
	`{"B":["b"],"A":["b"]}`, `{"A":["b"],"A":["b"]}`, `{"a":["b"],"A":["b"]}`, `{"A":["\/\b"]}`, `{"A":["\/"]}`, `{"A":["é"]}`, `{"é":["b"]}`,
}

func TestAgreesWithWire(t *testing.T) {
	for _, message := range vectors(t) {
		agree(t, message)
	}
	for _, text := range texts {
		agree(t, withHeaders(t, text))
	}
	whole := withHeaders(t, `{"A":["b"]}`)
	for i := range whole {
		agree(t, whole[:i])
		for _, b := range []byte{0, 1, 8, 16, 64, 0x7f, 0x80, 0xff, '\n', '"'} {
			changed := bytes.Clone(whole)
			changed[i] = b
			agree(t, changed)
		}
	}
}

// TestManyHeaders is at and beyond the limits of names and values.
func TestManyHeaders(t *testing.T) {
	for _, n := range []int{255, 256, 257} {
		values, names := []byte(`{"A":["b"`), []byte(`{"a000":[]`)
		for i := 1; i < n; i++ {
			values = append(values, `,"b"`...)
			names = append(names, `,"a`+string([]byte{byte('0' + i/100), byte('0' + i/10%10), byte('0' + i%10)})+`":[]`...)
		}
		for _, text := range [][]byte{append(values, `]}`...), append(names, '}')} {
			message := withHeaders(t, string(text))
			agree(t, message)
			var r Request
			if err := r.decode(message); (err == nil) != (n <= 256) {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
	for _, n := range []int{maxHeaderBytes, maxHeaderBytes + 1} {
		text := `{"A":["` + string(bytes.Repeat([]byte{'b'}, n-10)) + `"]}`
		agree(t, withHeaders(t, text))
	}
}

func withHeaders(t testing.TB, text string) []byte {
	message, err := wire.AppendRequest(nil, &wire.Request{Method: []byte("GET"), Target: []byte("/health"),
		Proto: []byte("HTTP/1.1"), Headers: []byte(text), Body: []byte("body"), Trailer: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// FuzzAgreesWithWire is the differential test of the two codecs.
func FuzzAgreesWithWire(f *testing.F) {
	for _, message := range vectors(f) {
		f.Add(message)
	}
	for _, text := range texts {
		f.Add(withHeaders(f, text))
	}
	f.Fuzz(func(t *testing.T, message []byte) { agree(t, message) })
}

// FuzzHeadersAgree spends its time on the headers alone.
func FuzzHeadersAgree(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		ours, failed := parseHeader(text)
		theirs, err := headers(text)
		if (err == nil) != (failed == nil) || err == nil && !sameHeader(ours, theirs) {
			t.Fatalf("wire: %v %v, naive: %v %v\n%q", theirs, err, ours, failed, text)
		}
	})
}

// FuzzResponsesAgree compares the two encoders' bytes.
func FuzzResponsesAgree(f *testing.F) {
	f.Add(200, []byte("ok"), true)
	f.Add(503, []byte(nil), false)
	f.Fuzz(func(t *testing.T, status int, body []byte, typed bool) {
		response := Response{Status: status, Reason: serve.Reason(status), Body: body}
		same := wire.Response{Status: uint16(status), Reason: serve.Reason(status), Proto: []byte("HTTP/1.1"), Body: body}
		if typed {
			response.ContentType = "text/plain"
			same.Headers = []byte(`{"Content-Type":["text/plain"]}`)
		}
		got, failed := encodeResponse(&response)
		want, err := wire.AppendFramedResponse(nil, &same)
		if status < 100 || status > 599 {
			if failed == nil {
				t.Fatalf("status %d was encoded", status)
			}
			return
		}
		if err != nil || failed != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v %v\n%x\n%x", err, failed, got, want)
		}
	})
}

// TestAllocatesAtThreePlaces counts the allocations of a request by what each
// of the three places costs: this is what the server is for.
func TestAllocatesAtThreePlaces(t *testing.T) {
	request, err := wire.AppendFramedRequest(nil, &wire.Request{Method: []byte("GET"), Target: []byte("/health"),
		Proto: []byte("HTTP/1.1"), Headers: []byte(`{"User-Agent":["bench"]}`)})
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	run := func() {
		conn := memory.NewConn(request, n, 1)
		New(serve.Defaults()).ServeConn(conn)
		if answered, err := conn.Answered(); err != nil || answered != n {
			t.Fatal(answered, err)
		}
	}
	const (
		frames  = 2 // the request's and the response's
		headers = 5 // the map's two, a name, its values and a value
		context = 1
	)
	if per := int(testing.AllocsPerRun(5, run) / n); per != frames+headers+context {
		t.Errorf("%d allocations for each request, expected %d", per, frames+headers+context)
	}
}
