package codecs

import (
	"bytes"
	"errors"
	"testing"

	"nullius/zap/wire"
)

func TestAnswerRecord(t *testing.T) {
	c, _ := New("zap", Records())
	for i := range Records() {
		request, want := encoded(t, c.EncodeRequest, i), encoded(t, c.EncodeResponse, i)
		got, err := AnswerRecord([]byte("before"), request)
		if err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
			t.Fatalf("%d: %x, %v", i, got, err)
		}
	}
}

func TestAnswerRecordAllocatesNothing(t *testing.T) {
	c, _ := New("zap", Records())
	request, dst := encoded(t, c.EncodeRequest, 3), make([]byte, 0, 80)
	if n := testing.AllocsPerRun(100, func() { AnswerRecord(dst, request) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAnswersRefuseAndLeaveTheirBuffer(t *testing.T) {
	dst := []byte("before")
	got, err := AnswerRecord(dst, []byte("ZAP"))
	if string(got) != "before" || !errors.Is(err, wire.Truncated) {
		t.Errorf("record: %q, %v", got, err)
	}
	for name := range libraries {
		answer, err := JSONAnswerer(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range []string{``, `{`, `{"id":-1}`, `[]`, `{"id":1,"block":2,"method":"eth_getBalance","account":"0x01"}`} {
			if got, err := answer(dst, []byte(body)); string(got) != "before" || err == nil {
				t.Errorf("%s, %s: %q, %v", name, body, got, err)
			}
		}
	}
	if _, err := JSONAnswerer("xml"); err == nil {
		t.Error("an unknown library is taken")
	}
}

func TestJSONAnswerers(t *testing.T) {
	for name := range libraries {
		c, _ := New(name, Records())
		answer, _ := JSONAnswerer(name)
		request, want := encoded(t, c.EncodeRequest, 5), encoded(t, c.EncodeResponse, 5)
		if got, err := answer(nil, request); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	c, _ := New("goccy", Records())
	if got, err := AnswerJSON(nil, encoded(t, c.EncodeRequest, 0)); err != nil || !bytes.Equal(got, encoded(t, c.EncodeResponse, 0)) {
		t.Errorf("AnswerJSON: %s, %v", got, err)
	}
}
