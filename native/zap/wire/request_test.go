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
	message := load(t).bytes(t, "http", healthPrefixed)[PrefixBytes:]
	var got Request
	if err := got.Decode(message); err != nil {
		t.Fatal(err)
	}
	if want := health(); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}
