package wire

import (
	"bytes"
	"reflect"
	"testing"
)

func health() Request {
	return Request{
		Method: []byte("GET"), Target: []byte("/health"), Proto: []byte("HTTP/1.1"),
		Headers: []byte(`{"User-Agent":["bench"]}`),
	}
}

// whole has something in every field.
func whole() Request {
	r := health()
	r.Body, r.Trailer = []byte("body\x00\r\n"), []byte(`{"X":["1"]}`)
	return r
}

func TestRequestGolden(t *testing.T) {
	v := load(t)
	r := health()
	framed, err := AppendFramedRequest([]byte("kept"), &r)
	if want := append([]byte("kept"), v.bytes(t, "http", healthPrefixed)...); err != nil || !bytes.Equal(framed, want) {
		t.Fatalf("%v\n got %x\nwant %x", err, framed, want)
	}
	r.Headers = nil
	bare, err := AppendRequest(nil, &r)
	if want := v.bytes(t, "http", healthBare); err != nil || !bytes.Equal(bare, want) {
		t.Fatalf("%v\n got %x\nwant %x", err, bare, want)
	}
}

func TestRequestDecode(t *testing.T) {
	var got Request
	if err := got.Decode(load(t).bytes(t, "http", healthPrefixed)[PrefixBytes:]); err != nil {
		t.Fatal(err)
	}
	if want := health(); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	r := whole()
	message, _ := AppendRequest(nil, &r)
	if err := got.Decode(message); err != nil || !reflect.DeepEqual(got, r) {
		t.Fatalf("%v: got %q, want %q", err, got, r)
	}
	// Appending to a view must not write over what follows it.
	_ = append(got.Method, "XXXX"...)
	if string(got.Target) != "/health" {
		t.Fatalf("the target became %q", got.Target)
	}
}

// A request in the middle of a buffer that was used before: what stood there
// must not show through.
func TestRequestAppendOverOldBytes(t *testing.T) {
	r := health()
	r.Headers = nil
	want := load(t).bytes(t, "http", healthBare)
	dirty := bytes.Repeat([]byte{0xff}, 512)
	got, err := AppendRequest(dirty[:100], &r)
	if err != nil || !bytes.Equal(got[100:], want) || &got[0] != &dirty[0] {
		t.Fatalf("%v\n got %x\nwant %x", err, got[100:], want)
	}
}

func TestRequestDecodeRefuses(t *testing.T) {
	r := whole()
	valid, _ := AppendRequest(nil, &r)
	for n := range valid {
		if err := new(Request).Decode(valid[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were taken", n, len(valid))
		}
	}
	big := []byte{255, 255, 255, 255}
	for _, c := range []struct {
		name   string
		at     int
		values []byte
		want   Error
	}{
		{"magic", 3, []byte{1}, Error{"magic", 0, BadMagic}},
		{"version 0", 4, []byte{0}, Error{"version", 4, BadVersion}},
		{"version 3", 4, []byte{3}, Error{"version", 4, BadVersion}},
		{"a response", 7, []byte{2}, Error{"flags", 6, BadType}},
		{"unknown flags", 6, []byte{1}, Error{"flags", 6, BadType}},
		{"root in the header", 8, []byte{8}, Error{"root offset", 8, BadRoot}},
		{"root past the end", 8, big, Error{"root offset", 8, BadRoot}},
		{"size", 12, big, Error{"total size", 12, BadSize}},
		{"method empty", 16, make([]byte, 8), Error{"request method", 16, Missing}},
		{"method of no bytes", 20, []byte{0}, Error{"request method", 16, Missing}},
		{"method in the fixed section", 16, []byte{47}, Error{"request method", 16, Overlap}},
		{"method without offset", 16, []byte{0}, Error{"request method", 16, Overlap}},
		{"method of 4 GiB", 20, big, Error{"request method", 16, PastEnd}},
		{"method of 4 GiB at 4 GiB", 16, append(big, big...), Error{"request method", 16, PastEnd}},
		{"target empty", 24, make([]byte, 8), Error{"request target", 24, Missing}},
		{"target over method", 24, []byte{42}, Error{"request target", 24, Overlap}},
		{"proto over target", 32, []byte{41}, Error{"request proto", 32, Overlap}},
		{"headers at 4 GiB", 40, big, Error{"request headers", 40, PastEnd}},
		{"body over headers", 48, []byte{56}, Error{"request body", 48, Overlap}},
		{"body one longer", 52, []byte{8}, Error{"request trailer", 56, Overlap}},
		{"trailer one longer", 60, []byte{12}, Error{"request trailer", 56, PastEnd}},
		{"NUL in method", 64, []byte{0}, Error{"request method", 16, BadCharacter}},
		{"space in method", 66, []byte{' '}, Error{"request method", 16, BadCharacter}},
		{"CR in target", 67, []byte{'\r'}, Error{"request target", 24, BadCharacter}},
		{"LF in target", 73, []byte{'\n'}, Error{"request target", 24, BadCharacter}},
		{"space in target", 70, []byte{' '}, Error{"request target", 24, BadCharacter}},
		{"DEL in proto", 81, []byte{0x7f}, Error{"request proto", 32, BadCharacter}},
	} {
		message := bytes.Clone(valid)
		copy(message[c.at:], c.values)
		wantFault(t, c.name, new(Request).Decode(message), c.want)
	}
	err := new(Request).Decode(load(t).bytes(t, "hostile", "truncated: 17 bytes, must not read as GET /"))
	wantFault(t, "17 bytes", err, Error{"root offset", 8, BadRoot})
	if text := err.Error(); text != "zap: root offset at byte 8: the fixed section would lie in the header or past the end" {
		t.Errorf("the error reads %q", text)
	}
}

// Every byte at every place of texts of many lengths: words of eight bytes
// must see what a look at each byte sees.
func TestTextCharacters(t *testing.T) {
	for n := 1; n <= 20; n++ {
		for at := range n {
			for c := range 256 {
				text := bytes.Repeat([]byte{'a'}, n)
				text[at] = byte(c)
				r := Request{Method: []byte("GET"), Target: text}
				_, err := AppendRequest(nil, &r)
				if good := c > ' ' && c != 0x7f; (err == nil) != good {
					t.Fatalf("target %q: %v", text, err)
				}
				p := Response{Status: 200, Reason: text}
				_, err = AppendResponse(nil, &p)
				if good := c == '\t' || c >= ' ' && c != 0x7f; (err == nil) != good {
					t.Fatalf("reason %q: %v", text, err)
				}
			}
		}
	}
}

func TestRequestAppendRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Request
		want Error
	}{
		{"no method", Request{Target: []byte("/")}, Error{"request method", 16, Missing}},
		{"no target", Request{Method: []byte("GET")}, Error{"request target", 24, Missing}},
		{"CRLF", Request{Method: []byte("GET"), Target: []byte("/\r\nHost:a")}, Error{"request target", 24, BadCharacter}},
		{"space", Request{Method: []byte("GET /"), Target: []byte("/")}, Error{"request method", 16, BadCharacter}},
		{"proto", Request{Method: []byte("GET"), Target: []byte("/"), Proto: []byte("HTTP/1.1\n")}, Error{"request proto", 32, BadCharacter}},
		{"long", Request{Method: []byte("GET"), Target: []byte("/"), Body: make([]byte, MaxMessageBytes-67)}, Error{"request", 0, TooLong}},
	} {
		dst, err := AppendFramedRequest([]byte("kept"), &c.r)
		wantFault(t, c.name, err, c.want)
		if string(dst) != "kept" {
			t.Errorf("%s: dst became %q", c.name, dst)
		}
	}
}

// Version 2, a longer fixed section before the tail and bytes after it.
func TestRequestDecodeElsewhere(t *testing.T) {
	r := whole()
	valid, _ := AppendRequest(nil, &r)
	moved := append([]byte{}, valid[:64]...)
	moved = append(moved, "12345678"...)
	moved = append(moved, valid[64:]...)
	moved = append(moved, "after"...)
	moved[4] = 2
	moved[12] = byte(len(moved))
	for at := 16; at < 64; at += 8 {
		moved[at] += 8
	}
	var got Request
	if err := got.Decode(moved); err != nil || !reflect.DeepEqual(got, r) {
		t.Fatalf("%v: got %q, want %q", err, got, r)
	}
}

func TestRequestAllocations(t *testing.T) {
	r := whole()
	message, _ := AppendRequest(nil, &r)
	buffer := make([]byte, 0, 512)
	var got Request
	for name, f := range map[string]func(){
		"decode":        func() { _ = got.Decode(message) },
		"append":        func() { buffer, _ = AppendRequest(buffer[:0], &r) },
		"append framed": func() { buffer, _ = AppendFramedRequest(buffer[:0], &r) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
