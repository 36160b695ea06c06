package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"
)

// seeds adds every vector, whole and without its length prefix.
func seeds(f *testing.F) {
	v := load(f)
	for group, named := range v {
		for name := range named {
			b := v.bytes(f, group, name)
			f.Add(b)
			if name == healthPrefixed {
				f.Add(b[PrefixBytes:])
			}
		}
	}
	q, p := whole(), ok()
	message, _ := AppendRequest(nil, &q)
	f.Add(message)
	message, _ = AppendResponseHead(nil, &p)
	f.Add(message)
}

// inside fails unless every view lies in the message, and all together are no
// longer than it is.
func inside(t *testing.T, message []byte, views ...[]byte) {
	total := 0
	for _, view := range views {
		total += len(view)
	}
	if total > len(message) {
		t.Fatalf("views of %d bytes from a message of %d", total, len(message))
	}
}

func FuzzDecodeRequest(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message []byte) {
		before := bytes.Clone(message)
		var r Request
		err := r.Decode(message)
		if !bytes.Equal(message, before) {
			t.Fatal("Decode changed the message")
		}
		if err != nil {
			_ = err.Error()
			return
		}
		inside(t, message, r.Method, r.Target, r.Proto, r.Headers, r.Body, r.Trailer)
		_, _ = Headers(r.Headers).Check(), Headers(r.Trailer).Check()
		again, err := AppendFramedRequest(nil, &r)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		n, err := Length(again, 0)
		if err != nil || n != len(again)-PrefixBytes || n > len(message) {
			t.Fatalf("%d bytes became %d, %v", len(message), n, err)
		}
		var back Request
		if err := back.Decode(again[PrefixBytes:]); err != nil || !sameRequest(&back, &r) {
			t.Fatalf("%v: %q became %q", err, r, back)
		}
	})
}

func sameRequest(a, b *Request) bool {
	return bytes.Equal(a.Method, b.Method) && bytes.Equal(a.Target, b.Target) && bytes.Equal(a.Proto, b.Proto) &&
		bytes.Equal(a.Headers, b.Headers) && bytes.Equal(a.Body, b.Body) && bytes.Equal(a.Trailer, b.Trailer)
}

func FuzzDecodeResponse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message []byte) {
		var r Response
		write := AppendResponse
		read := (*Response).Decode
		if kind, _ := TypeOf(message); kind == TypeResponseHead {
			write, read = AppendResponseHead, (*Response).DecodeHead
		}
		if err := read(&r, message); err != nil {
			_ = err.Error()
			return
		}
		inside(t, message, r.Reason, r.Proto, r.Headers, r.Body, r.Trailer)
		again, err := write(nil, &r)
		if err != nil || len(again) > len(message) {
			t.Fatalf("%d bytes became %d, %v", len(message), len(again), err)
		}
		var back Response
		if err := read(&back, again); err != nil || back.Status != r.Status || !bytes.Equal(back.Reason, r.Reason) ||
			!bytes.Equal(back.Proto, r.Proto) || !bytes.Equal(back.Headers, r.Headers) ||
			!bytes.Equal(back.Body, r.Body) || !bytes.Equal(back.Trailer, r.Trailer) {
			t.Fatalf("%v: %+v became %+v", err, r, back)
		}
	})
}

// What the cursor takes, encoding/json takes too and reads the same, and
// writing it again gives what encoding/json writes.
func FuzzHeaders(f *testing.F) {
	for _, text := range []string{
		`{"User-Agent":["bench"]}`, ` { "A" : [ "1" , "\u003c\ud83d\ude00" ] , "B":[] } `, `{}`,
		`{"A":["\r"],"A":["2"]}`, "{\"A\":[\"\xff\"]}", `{"Content-Type":["text/plain; charset=utf-8"],"X":["a\tb\"\\"]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		var c Cursor
		read := map[string][]string{}
		var list []Header
		for c.Reset(text, nil); c.Next(); {
			name, value := string(c.Name), string(c.Value)
			if !token(name) || valueFault(value) != "" || !utf8.ValidString(value) {
				t.Fatalf("gave %q: %q", name, value)
			}
			if len(read[name]) == 0 {
				list = append(list, Header{Name: name})
			}
			read[name] = append(read[name], value)
			list[len(list)-1].Values = read[name]
		}
		if !bytes.Equal(text, before) {
			t.Fatal("the headers were changed")
		}
		if c.Err() != nil || len(text) == 0 {
			_ = c.Err()
			return
		}
		want := map[string][]string{}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("taken, but encoding/json says %v", err)
		}
		for name, values := range want {
			if len(values) == 0 {
				delete(want, name)
			}
		}
		if !reflect.DeepEqual(read, want) {
			t.Fatalf("read %q, encoding/json %q", read, want)
		}
		again, err := AppendHeaders(nil, list)
		if len(read) == 0 {
			if err != nil || len(again) != 0 {
				t.Fatalf("%v: no headers became %q", err, again)
			}
			return
		}
		if compact, _ := json.Marshal(want); string(again) != string(compact) && err == nil || err != nil && len(compact) <= MaxHeadersBytes {
			t.Fatalf("%v\n     wrote %q\nas published %q", err, again, compact)
		}
	})
}

// Whatever is asked to be written is refused, or read back as it was.
func FuzzAppendHeaders(f *testing.F) {
	f.Add("Content-Type", "text/plain", "X", "<\u2028>")
	f.Add("B", "\x00", "A", "\r\n")
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2 string) {
		h := []Header{{name1, []string{value1, value2}}, {name2, []string{value2}}}
		text, err := AppendHeaders(nil, h)
		if err != nil {
			return
		}
		if len(text) > MaxHeadersBytes {
			t.Fatalf("%d bytes written", len(text))
		}
		if want := published(t, h); string(text) != want {
			t.Fatalf("wrote %q, published %q", text, want)
		}
		read := map[string][]string{}
		var c Cursor
		for c.Reset(text, nil); c.Next(); {
			read[string(c.Name)] = append(read[string(c.Name)], string(c.Value))
		}
		want := map[string][]string{}
		for _, header := range h {
			want[header.Name] = append(want[header.Name], header.Values...)
		}
		if c.Err() != nil || !reflect.DeepEqual(read, want) {
			t.Fatalf("%v: read %q, wrote %q", c.Err(), read, want)
		}
	})
}

// No prefix makes ReadMessage take room for what has not arrived.
func FuzzLength(f *testing.F) {
	v := load(f)
	f.Add(v.bytes(f, "hostile", "length prefix of 64 MiB with no body (must not allocate it)"), 0)
	f.Add(v.bytes(f, "hostile", "length prefix out of range"), -1)
	f.Add(v.bytes(f, "http", healthPrefixed), 106)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		n, lengthErr := Length(stream, limit)
		if lengthErr == nil && (n < 1 || n > MaxMessageBytes || limit > 0 && n > limit) {
			t.Fatalf("length %d with limit %d", n, limit)
		}
		message, err := ReadMessage(bytes.NewReader(stream), nil, limit)
		if err == nil && (lengthErr != nil || !bytes.Equal(message, stream[PrefixBytes:PrefixBytes+n])) {
			t.Fatalf("%v, read %d bytes", lengthErr, len(message))
		}
		if cap(message) > 3*len(stream)+2*firstBytes {
			t.Fatalf("%d bytes of room for a stream of %d", cap(message), len(stream))
		}
	})
}

// Any walk through any message ends soon and stays inside.
func FuzzObjects(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message []byte) {
		m, err := Parse(message)
		if err != nil {
			return
		}
		visited := uint64(0)
		var walk func(o Object, err error)
		walk = func(o Object, err error) {
			if err != nil {
				_ = err.Error()
				return
			}
			if visited += slotBytes + o.size; visited > visitFactor*uint64(len(message))+visitExtra {
				t.Fatalf("visited %d bytes of a message of %d", visited, len(message))
			}
			for at := 0; at < int(o.size); at += 4 {
				_, _ = o.Uint64("number", at)
				if b, err := o.Bytes("text", at); err == nil {
					inside(t, message, b)
				}
				walk(o.Object("child", at, 8))
				if l, err := o.List("list", at, 8); err == nil {
					for i := range min(l.Len(), 3) {
						walk(l.Element("element", i))
						walk(l.Object("item", i, 8))
					}
				}
			}
		}
		walk(m.Root(min(24, max(0, len(message)-HeaderBytes))))
		_, _ = Data(message)
		_, _ = End(message)
	})
}
