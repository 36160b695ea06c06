package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestLength(t *testing.T) {
	v := load(t)
	if n, err := Length(v.bytes(t, "http", healthPrefixed), 0); n != 106 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if n, err := Length(v.bytes(t, "hostile", "length prefix of 64 MiB with no body (must not allocate it)"), 0); n != MaxMessageBytes || err != nil {
		t.Errorf("%d %v", n, err)
	}
	for _, c := range []struct {
		name   string
		prefix []byte
		limit  int
		want   Error
	}{
		{"out of range", v.bytes(t, "hostile", "length prefix out of range"), 0, Error{"length prefix", 0, TooLong}},
		{"zero", make([]byte, 4), 0, Error{"length prefix", 0, ZeroLength}},
		{"64 MiB and 1", []byte{4, 0, 0, 1}, 1 << 30, Error{"length prefix", 0, TooLong}},
		{"negative limit", []byte{4, 0, 0, 1}, -5, Error{"length prefix", 0, TooLong}},
		{"limit", []byte{0, 0, 1, 1}, 256, Error{"length prefix", 0, TooLong}},
		{"three bytes", []byte{0, 0, 1}, 256, Error{"length prefix", 3, Truncated}},
	} {
		_, err := Length(c.prefix, c.limit)
		wantFault(t, c.name, err, c.want)
	}
	if n, err := Length([]byte{0, 0, 1, 0}, 256); n != 256 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if got := AppendPrefix([]byte{9}, 0x01020304); !bytes.Equal(got, []byte{9, 1, 2, 3, 4}) {
		t.Errorf("%x", got)
	}
}

func TestReadMessage(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789"), 10_000)
	framed := append(AppendPrefix(nil, len(body)), body...)
	got, err := ReadMessage(iotest.OneByteReader(bytes.NewReader(framed)), nil, 0)
	if err != nil || !bytes.Equal(got, body) {
		t.Fatalf("%v, %d bytes", err, len(got))
	}
	if cap(got) > 2*len(body) {
		t.Errorf("%d bytes of room for %d", cap(got), len(body))
	}
	for n := range 4 {
		_, err := ReadMessage(bytes.NewReader(framed[:n]), nil, 0)
		if want := map[bool]error{true: io.EOF, false: io.ErrUnexpectedEOF}[n == 0]; err != want {
			t.Errorf("%d bytes: %v, want %v", n, err, want)
		}
	}
	for _, n := range []int{4, 5, 4096, 4100, 9000} {
		got, err := ReadMessage(bytes.NewReader(framed[:n]), nil, 0)
		if err != io.ErrUnexpectedEOF || !bytes.Equal(got, body[:n-4]) {
			t.Errorf("%d bytes: %v, %d read", n, err, len(got))
		}
	}
	_, err = ReadMessage(bytes.NewReader(framed), nil, len(body)-1)
	if !errors.Is(err, TooLong) {
		t.Errorf("over the limit: %v", err)
	}
}

// A peer that claims 64 MiB and sends little gets little memory.
func TestReadMessageTrustsNoPrefix(t *testing.T) {
	claim := load(t).bytes(t, "hostile", "length prefix of 64 MiB with no body (must not allocate it)")
	for _, sent := range []int{0, 1, 5000, 100_000} {
		got, err := ReadMessage(bytes.NewReader(append(bytes.Clone(claim), make([]byte, sent)...)), nil, 0)
		if err != io.ErrUnexpectedEOF || len(got) != sent {
			t.Fatalf("%v, %d bytes", err, len(got))
		}
		// The allocator rounds up by an eighth or so.
		if most := 3*sent + 2*firstBytes; cap(got) > most {
			t.Errorf("%d bytes of room after %d arrived", cap(got), sent)
		}
	}
}

func TestReadMessageAllocations(t *testing.T) {
	r := health()
	framed, _ := AppendFramedRequest(nil, &r)
	source := bytes.NewReader(framed)
	buffer := make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() {
		source.Reset(framed)
		buffer, _ = ReadMessage(source, buffer, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(buffer) != len(framed)-PrefixBytes {
		t.Errorf("%d bytes read", len(buffer))
	}
}
