package codecs

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// every makes each codec of this build with the records.
func every(t *testing.T, check func(t *testing.T, name string, c Codec, records []Record)) {
	for _, name := range Names() {
		if name == "none" || name == "copy" {
			continue // they carry no values
		}
		t.Run(name, func(t *testing.T) {
			records := Records()
			c, err := New(name, records)
			if err != nil {
				t.Fatal(err)
			}
			check(t, name, c, records)
		})
	}
}

func TestAllCodecsCarryTheSameValues(t *testing.T) {
	every(t, func(t *testing.T, _ string, c Codec, records []Record) {
		for i, want := range records {
			wire := encoded(t, c.EncodeRequest, i)
			if got, err := c.Request(wire); err != nil || got != want.Request {
				t.Fatalf("request %d: %+v, %v; want %+v", i, got, err, want.Request)
			}
			wire = encoded(t, c.EncodeResponse, i)
			if got, err := c.Response(wire); err != nil || got != want.Response {
				t.Fatalf("response %d: %+v, %v; want %+v", i, got, err, want.Response)
			}
		}
	})
}

// What is decoded, made anew and encoded again is the same bytes.
func TestRoundTrip(t *testing.T) {
	every(t, func(t *testing.T, name string, c Codec, records []Record) {
		sentence, err := RoundTrip(name, records)
		if err != nil || sentence != "same bytes after decoding and encoding again, 64 records" {
			t.Fatalf("%q, %v", sentence, err)
		}
	})
}

// Every byte of a value is in the sum's fields or changes the plain values: a field
// mixed up with another would show here.
func TestSums(t *testing.T) {
	every(t, func(t *testing.T, name string, c Codec, records []Record) {
		_, isJSON := c.(*jsonCodec)
		for i, r := range records {
			account, hash := string(r.Request.Account[:]), string(r.Response.BlockHash[:])
			if isJSON {
				account, hash = hexText(r.Request.Account[:]), hexText(r.Response.BlockHash[:])
			}
			sum, err := c.DecodeRequest(encoded(t, c.EncodeRequest, i))
			if want := r.Request.ID + r.Request.Block + 14 + 'e' + uint64(len(account)) + uint64(account[len(account)-1]); err != nil || sum != want {
				t.Fatalf("request %d: %d, %v; want %d", i, sum, err, want)
			}
			sum, err = c.DecodeResponse(encoded(t, c.EncodeResponse, i))
			if want := r.Response.ID + r.Response.Balance + r.Response.Nonce + uint64(len(hash)) + uint64(hash[len(hash)-1]); err != nil || sum != want {
				t.Fatalf("response %d: %d, %v; want %d", i, sum, err, want)
			}
		}
	})
}

func TestHandleGivesTheRecordsResponse(t *testing.T) {
	every(t, func(t *testing.T, _ string, c Codec, records []Record) {
		for i := range records {
			request := encoded(t, c.EncodeRequest, i)
			want := encoded(t, c.EncodeResponse, i)
			got, err := c.Handle(make([]byte, 0, 256), request)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d: %q, %v; want %q", i, got, err, want)
			}
		}
	})
}

// A request that is well formed but cannot be answered says why, and a stranger's
// account is never another's.
func TestHandleRefuses(t *testing.T) {
	for _, name := range Names() {
		if name == "none" || name == "copy" {
			continue
		}
		strangers := Records()[:2]
		strangers[0].Request.Account[19] ^= 0x80
		strangers[1].Request.Method = "eth_getBalancf"
		asker, err := New(name, strangers)
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(name, Records())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Handle(nil, encoded(t, asker.EncodeRequest, 0)); err != ErrAccount {
			t.Errorf("%s: a stranger's account: %v", name, err)
		}
		if _, err := c.Handle(nil, encoded(t, asker.EncodeRequest, 1)); err != ErrMethod {
			t.Errorf("%s: another method: %v", name, err)
		}
	}
}

// The bytes of one record on the wire, request and response.
var wireBytes = map[string][2]int{
	"json": {103, 130}, "jsonv2": {103, 130}, "goccy": {103, 130}, "sonic": {103, 130},
	"protobuf": {44, 48}, "vtprotobuf": {44, 48}, "vtprotobuf-unsafe": {44, 48},
	"flatbuffers": {96, 88}, "zap": {82, 80},
}

func TestWireBytes(t *testing.T) {
	every(t, func(t *testing.T, name string, c Codec, records []Record) {
		for i := range records {
			got := [2]int{len(encoded(t, c.EncodeRequest, i)), len(encoded(t, c.EncodeResponse, i))}
			if got != wireBytes[name] {
				t.Fatalf("record %d: %v bytes, want %v", i, got, wireBytes[name])
			}
		}
	})
}

// The first record is that of the format's golden vectors.
func TestGoldenRecord(t *testing.T) {
	text, err := os.ReadFile("../wire/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Record map[string]string }
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	c, _ := New("zap", Records())
	for kind, encode := range map[string]func([]byte, int) ([]byte, error){"request": c.EncodeRequest, "response": c.EncodeResponse} {
		found := false
		for name, vector := range vectors.Record {
			if strings.HasPrefix(name, kind) {
				found = true
				if got := hex.EncodeToString(encoded(t, encode, 0)); got != vector {
					t.Errorf("%s: %s, want %s", kind, got, vector)
				}
			}
		}
		if !found {
			t.Errorf("there is no golden %s", kind)
		}
	}
	j, _ := New("json", Records())
	if got := string(encoded(t, j.EncodeRequest, 0)); got != `{"id":1,"block":68943,"method":"eth_getBalance","account":"0x0102030405060708090a0b0c0d0e0f1011121314"}` {
		t.Error(got)
	}
	if got := string(encoded(t, j.EncodeResponse, 0)); got != `{"id":1,"balance":1000000000000000000,"nonce":42,"blockHash":"0xa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"}` {
		t.Error(got)
	}
}

// A truncated message is an error of the codec, in both directions. FlatBuffers
// checks nothing, which is said of it and is why it is not here.
func TestTruncated(t *testing.T) {
	every(t, func(t *testing.T, name string, c Codec, records []Record) {
		if name == "flatbuffers" {
			t.Skip("it does not check what it reads")
		}
		request, response := encoded(t, c.EncodeRequest, 0), encoded(t, c.EncodeResponse, 0)
		if _, err := c.DecodeRequest(request[:len(request)-1]); err == nil {
			t.Error("a truncated request is taken")
		}
		if _, err := c.DecodeResponse(response[:len(response)-1]); err == nil {
			t.Error("a truncated response is taken")
		}
		if _, err := c.Handle(nil, request[:len(request)-1]); err == nil {
			t.Error("a truncated request is answered")
		}
	})
}

func TestNewRefuses(t *testing.T) {
	if _, err := New("xml", Records()); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("an unknown codec: %v", err)
	}
	if _, err := New("zap", nil); err == nil {
		t.Error("no records are taken")
	}
	if names := Names(); !slices.IsSorted(names) || !slices.Contains(names, "zap") {
		t.Errorf("names: %v", names)
	}
}

// encoded is a copy, so that a codec may reuse its buffer.
func encoded(t testing.TB, encode func([]byte, int) ([]byte, error), i int) []byte {
	t.Helper()
	wire, err := encode(nil, i)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(wire)
}
