package wire

import (
	"bytes"
	"reflect"
	"testing"
)

func ok() Response {
	return Response{
		Status: 200, Reason: []byte("OK"), Proto: []byte("HTTP/1.1"),
		Headers: []byte(`{"Content-Type":["text/plain; charset=utf-8"]}`), Body: []byte("ok"),
	}
}

func TestResponseGolden(t *testing.T) {
	want := load(t).bytes(t, "http", okResponse)
	r := ok()
	got, err := AppendResponse(nil, &r)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v\n got %x\nwant %x", err, got, want)
	}
	framed, err := AppendFramedResponse([]byte("kept"), &r)
	if prefixed := append(AppendPrefix([]byte("kept"), len(want)), want...); err != nil || !bytes.Equal(framed, prefixed) {
		t.Fatalf("%v\n got %x\nwant %x", err, framed, prefixed)
	}
	var back Response
	if err := back.Decode(want); err != nil || !reflect.DeepEqual(back, r) {
		t.Fatalf("%v: got %+v, want %+v", err, back, r)
	}
}

func TestResponseHead(t *testing.T) {
	r := ok()
	r.Body = nil
	head, err := AppendResponseHead(nil, &r)
	if err != nil {
		t.Fatal(err)
	}
	if kind, err := TypeOf(head); kind != TypeResponseHead || err != nil {
		t.Errorf("type %d, %v", kind, err)
	}
	var back Response
	if err := back.DecodeHead(head); err != nil || !reflect.DeepEqual(back, r) {
		t.Fatalf("%v: got %+v, want %+v", err, back, r)
	}
	wantFault(t, "head as response", back.Decode(head), Error{"flags", 6, BadType})
}

func TestResponseStatus(t *testing.T) {
	for status, good := range map[uint16]bool{0: false, 99: false, 100: true, 599: true, 600: false, 65535: false} {
		r := ok()
		r.Status = status
		if _, err := AppendResponse(nil, &r); good != (err == nil) {
			t.Errorf("status %d: %v", status, err)
		}
		message := load(t).bytes(t, "http", okResponse)
		message[16], message[17] = byte(status), byte(status>>8)
		err := r.Decode(message)
		if good && (err != nil || r.Status != status) {
			t.Errorf("status %d: %v", status, err)
		}
		if !good {
			wantFault(t, "status", err, Error{"response status", 16, BadStatus})
		}
	}
	message := load(t).bytes(t, "http", okResponse)
	message[18] = 1
	wantFault(t, "bytes after the status", new(Response).Decode(message), Error{"response status", 16, BadStatus})
}

func TestResponseDecodeRefuses(t *testing.T) {
	valid := load(t).bytes(t, "http", okResponse)
	for n := range valid {
		if err := new(Response).Decode(valid[:n]); err == nil {
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
		{"reason of 4 GiB", 28, big, Error{"response reason", 24, PastEnd}},
		{"reason in the fixed section", 24, []byte{39}, Error{"response reason", 24, Overlap}},
		{"proto over reason", 32, []byte{33}, Error{"response proto", 32, Overlap}},
		{"headers past the end", 44, []byte{49}, Error{"response headers", 40, PastEnd}},
		{"headers over the body", 44, []byte{47}, Error{"response body", 48, Overlap}},
		{"body past the end", 52, []byte{3}, Error{"response body", 48, PastEnd}},
		{"trailer without offset", 60, []byte{1}, Error{"response trailer", 56, Overlap}},
		{"LF in reason", 64, []byte{'\n'}, Error{"response reason", 24, BadCharacter}},
		{"space in proto", 70, []byte{' '}, Error{"response proto", 32, BadCharacter}},
	} {
		message := bytes.Clone(valid)
		copy(message[c.at:], c.values)
		wantFault(t, c.name, new(Response).Decode(message), c.want)
	}
}

func TestResponseAppendRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Response
		want Error
	}{
		{"status", Response{}, Error{"response status", 16, BadStatus}},
		{"reason", Response{Status: 200, Reason: []byte("OK\r\n")}, Error{"response reason", 24, BadCharacter}},
		{"proto", Response{Status: 200, Proto: []byte("HTTP 1")}, Error{"response proto", 32, BadCharacter}},
		{"long", Response{Status: 200, Trailer: make([]byte, MaxMessageBytes-63)}, Error{"response", 0, TooLong}},
	} {
		dst, err := AppendFramedResponse([]byte("kept"), &c.r)
		wantFault(t, c.name, err, c.want)
		if string(dst) != "kept" {
			t.Errorf("%s: dst became %q", c.name, dst)
		}
	}
}

func TestResponseAllocations(t *testing.T) {
	r := ok()
	message, _ := AppendResponse(nil, &r)
	buffer := make([]byte, 0, 512)
	var got Response
	for name, f := range map[string]func(){
		"decode":        func() { _ = got.Decode(message) },
		"append":        func() { buffer, _ = AppendResponse(buffer[:0], &r) },
		"append framed": func() { buffer, _ = AppendFramedResponse(buffer[:0], &r) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
