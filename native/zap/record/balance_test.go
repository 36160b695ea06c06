package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"

	"nullius/zap/wire"
)

func golden(t testing.TB, name string) []byte {
	text, err := os.ReadFile("../wire/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Record map[string]string }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(all.Record[name])
	if err != nil || len(b) == 0 {
		t.Fatalf("no record vector %q: %v", name, err)
	}
	return b
}

// run gives n bytes that count up from first.
func run(first byte, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

const (
	requestVector  = "request id 1, block 68943, method eth_getBalance, account 01..14"
	responseVector = "response id 1, balance 1e18, nonce 42, blockHash a0..bf"
)

func request() BalanceRequest {
	return BalanceRequest{ID: 1, Block: 68943, Method: []byte("eth_getBalance"), Account: run(1, 20)}
}

func response() BalanceResponse {
	return BalanceResponse{ID: 1, Balance: 1e18, Nonce: 42, BlockHash: run(0xa0, 32)}
}

func TestGolden(t *testing.T) {
	want := append([]byte("kept"), golden(t, requestVector)...)
	q := request()
	got, err := q.Append([]byte("kept"))
	if err != nil || !bytes.Equal(got, want) || len(got) != 4+82 {
		t.Errorf("request: %v\n got %x\nwant %x", err, got, want)
	}
	var q2 BalanceRequest
	if err := q2.Decode(want[4:]); err != nil || !reflect.DeepEqual(q, q2) {
		t.Errorf("request: %v, got %+v, want %+v", err, q2, q)
	}
	want = golden(t, responseVector)
	p := response()
	got, err = p.Append(nil)
	if err != nil || !bytes.Equal(got, want) || len(got) != 80 {
		t.Errorf("response: %v\n got %x\nwant %x", err, got, want)
	}
	var p2 BalanceResponse
	if err := p2.Decode(want); err != nil || !reflect.DeepEqual(p, p2) {
		t.Errorf("response: %v, got %+v, want %+v", err, p2, p)
	}
}

func TestAllocations(t *testing.T) {
	q, p := request(), response()
	buffer := make([]byte, 0, 256)
	message := golden(t, requestVector)
	reply := golden(t, responseVector)
	for name, f := range map[string]func(){
		"decode request":  func() { _ = q.Decode(message) },
		"decode response": func() { _ = p.Decode(reply) },
		"append request":  func() { buffer, _ = q.Append(buffer[:0]) },
		"append response": func() { buffer, _ = p.Append(buffer[:0]) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Every place where a valid message can be broken, with the error it gives.
func TestDecodeRefuses(t *testing.T) {
	valid := golden(t, requestVector)
	for _, c := range []struct {
		name   string
		change func(b []byte) []byte
		want   wire.Error
	}{
		{"nothing", func(b []byte) []byte { return nil }, wire.Error{Field: "header", Offset: 0, Reason: wire.Truncated}},
		{"15 bytes", func(b []byte) []byte { return b[:15] }, wire.Error{Field: "header", Offset: 15, Reason: wire.Truncated}},
		{"a byte less", func(b []byte) []byte { return b[:81] }, wire.Error{Field: "total size", Offset: 12, Reason: wire.BadSize}},
		{"a byte more", func(b []byte) []byte { return append(b, 0) }, wire.Error{Field: "total size", Offset: 12, Reason: wire.BadSize}},
		{"header alone", func(b []byte) []byte { return set(b[:16], 12, 16) }, wire.Error{Field: "root offset", Offset: 8, Reason: wire.BadRoot}},
		{"magic", func(b []byte) []byte { return set(b, 0, 'z') }, wire.Error{Field: "magic", Offset: 0, Reason: wire.BadMagic}},
		{"version 3", func(b []byte) []byte { return set(b, 4, 3) }, wire.Error{Field: "version", Offset: 4, Reason: wire.BadVersion}},
		{"flags", func(b []byte) []byte { return set(b, 7, 1) }, wire.Error{Field: "flags", Offset: 6, Reason: wire.BadType}},
		{"root 15", func(b []byte) []byte { return set(b, 8, 15) }, wire.Error{Field: "root offset", Offset: 8, Reason: wire.BadRoot}},
		{"root 51", func(b []byte) []byte { return set(b, 8, 51) }, wire.Error{Field: "root offset", Offset: 8, Reason: wire.BadRoot}},
		{"root 4 GiB", func(b []byte) []byte { return set(b, 8, 255, 255, 255, 255) }, wire.Error{Field: "root offset", Offset: 8, Reason: wire.BadRoot}},
		{"method in the fixed section", func(b []byte) []byte { return set(b, 32, 15) }, wire.Error{Field: "balance request method", Offset: 32, Reason: wire.Overlap}},
		{"method without offset", func(b []byte) []byte { return set(b, 32, 0) }, wire.Error{Field: "balance request method", Offset: 32, Reason: wire.Overlap}},
		{"method of 4 GiB", func(b []byte) []byte { return set(b, 36, 255, 255, 255, 255) }, wire.Error{Field: "balance request method", Offset: 32, Reason: wire.PastEnd}},
		{"method at 4 GiB", func(b []byte) []byte { return set(b, 32, 255, 255, 255, 255, 255, 255, 255, 255) }, wire.Error{Field: "balance request method", Offset: 32, Reason: wire.PastEnd}},
		{"account over method", func(b []byte) []byte { return set(b, 40, 21) }, wire.Error{Field: "balance request account", Offset: 40, Reason: wire.Overlap}},
		{"account past the end", func(b []byte) []byte { return set(b, 44, 21) }, wire.Error{Field: "balance request account", Offset: 40, Reason: wire.PastEnd}},
	} {
		q := BalanceRequest{ID: 7}
		err := q.Decode(c.change(bytes.Clone(valid)))
		var got *wire.Error
		if !errors.As(err, &got) || *got != c.want || !errors.Is(err, c.want.Reason) {
			t.Errorf("%s: got %v, want %v", c.name, err, &c.want)
		}
		if q.ID != 7 || q.Method != nil {
			t.Errorf("%s: the record changed to %+v", c.name, q)
		}
	}
}

func set(b []byte, at int, values ...byte) []byte {
	copy(b[at:], values)
	return b
}

// A reader takes version 2, a fixed section elsewhere, and gaps.
func TestDecodeElsewhere(t *testing.T) {
	valid := golden(t, responseVector)
	moved := append([]byte{}, valid[:16]...)
	moved = append(moved, "12345678"...)
	moved = append(moved, valid[16:48]...)
	moved = append(moved, "gap"...)
	moved = append(moved, valid[48:]...)
	set(moved, 4, 2)
	set(moved, 8, 24)
	set(moved, 12, byte(len(moved)))
	set(moved, 48, valid[40]+3)
	var p BalanceResponse
	if err := p.Decode(moved); err != nil || !reflect.DeepEqual(p, response()) {
		t.Fatalf("%v %+v", err, p)
	}
}

func TestEmptyAndTooLong(t *testing.T) {
	b, err := (&BalanceResponse{Nonce: 3}).Append(nil)
	if err != nil || len(b) != 48 || !bytes.Equal(b[40:], make([]byte, 8)) {
		t.Fatalf("%v %x", err, b)
	}
	p := BalanceResponse{BlockHash: []byte("old")}
	if err := p.Decode(b); err != nil || p.BlockHash != nil || p.Nonce != 3 {
		t.Fatalf("%v %+v", err, p)
	}
	dst := []byte("kept")
	b, err = (&BalanceResponse{BlockHash: make([]byte, wire.MaxMessageBytes)}).Append(dst)
	if !errors.Is(err, wire.TooLong) || string(b) != "kept" {
		t.Fatalf("%v, %d bytes", err, len(b))
	}
}
