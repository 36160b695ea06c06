package wire

import (
	"bytes"
	"testing"
)

func TestStreamGolden(t *testing.T) {
	v := load(t)
	data, err := AppendData([]byte("kept"), []byte("hi"))
	if want := append([]byte("kept"), v.bytes(t, "http", dataHi)...); err != nil || !bytes.Equal(data, want) {
		t.Errorf("%v\n got %x\nwant %x", err, data, want)
	}
	end, err := AppendEnd(nil, nil)
	if want := v.bytes(t, "http", streamEnd); err != nil || !bytes.Equal(end, want) {
		t.Errorf("%v\n got %x\nwant %x", err, end, want)
	}
	if piece, err := Data(v.bytes(t, "http", dataHi)); string(piece) != "hi" || err != nil {
		t.Errorf("%q %v", piece, err)
	}
	if trailer, err := End(v.bytes(t, "http", streamEnd)); trailer != nil || err != nil {
		t.Errorf("%q %v", trailer, err)
	}
}

func TestStreamRefuses(t *testing.T) {
	data := load(t).bytes(t, "http", dataHi)
	_, err := End(data)
	wantFault(t, "data as end", err, Error{"flags", 6, BadType})
	data[20] = 3
	_, err = Data(data)
	wantFault(t, "long", err, Error{"data", 16, PastEnd})
	data[16] = 7
	_, err = Data(data)
	wantFault(t, "overlap", err, Error{"data", 16, Overlap})
	_, err = Data(data[:23])
	wantFault(t, "short", err, Error{"total size", 12, BadSize})
	dst, err := AppendData([]byte("kept"), make([]byte, MaxMessageBytes-23))
	wantFault(t, "too long", err, Error{"data", 0, TooLong})
	if string(dst) != "kept" {
		t.Errorf("dst became %q", dst)
	}
}

func TestTypeOf(t *testing.T) {
	v := load(t)
	for name, want := range map[string]Type{healthBare: TypeRequest, okResponse: TypeResponse, dataHi: TypeData, streamEnd: TypeEnd} {
		if got, err := TypeOf(v.bytes(t, "http", name)); got != want || err != nil {
			t.Errorf("%s: %d %v", name, got, err)
		}
	}
	_, err := TypeOf([]byte("ZAP"))
	wantFault(t, "three bytes", err, Error{"header", 3, Truncated})
}
