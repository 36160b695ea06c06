package serve

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"nullius/zap/record"
)

func ask(rpc Procedure, method, target string, body []byte) Reply {
	var r Reply
	Answer(&r, rpc, []byte(method), []byte(target), body)
	return r
}

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		method, target, body string
		status               int
		kind                 ContentType
		reply                string // compared if not empty
	}{
		{"GET", "/health", "", 200, Text, "ok"},
		{"POST", "/health", "", 405, Text, ""},
		{"HEAD", "/health", "", 405, Text, ""},
		{"GET", "/healthy", "", 404, Text, ""},
		{"GET", "/", "", 404, Text, ""},
		{"GET", "/body/1", "", 200, JSON, "1"},
		{"GET", "/body/5", "", 200, JSON, `"All"`},
		{"GET", "/body/x", "", 400, Text, ""},
		{"GET", "/body/-1", "", 400, Text, ""},
		{"GET", "/body/16777217", "", 400, Text, ""},
		{"GET", "/body/99999999999999999999", "", 400, Text, ""},
		{"POST", "/body/1", "", 405, Text, ""},
		{"POST", "/echo", "e", 200, Binary, "e"},
		{"GET", "/echo", "", 405, Text, ""},
		{"POST", "/chat", "{}", 400, Text, ""},
		{"POST", "/chat", "[", 400, Text, ""},
		{"GET", "/chat", "", 405, Text, ""},
		{"POST", "/rpc", "x", 400, Text, ""},
		{"GET", "/rpc", "", 405, Text, ""},
	} {
		r := ask(RecordBalance, c.method, c.target, []byte(c.body))
		if r.Status != c.status || r.Type != c.kind || c.reply != "" && string(r.Body) != c.reply {
			t.Errorf("%s %s: %d %v %q", c.method, c.target, r.Status, r.Type, r.Body)
		}
		if r.Status != 200 && !strings.HasSuffix(string(r.Body), "\n") {
			t.Errorf("%s %s: no sentence", c.method, c.target)
		}
	}
}

func TestBodyIsJSONOfItsSize(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100, 163, 164, 165, 200, 1000, 4096, 1 << 20, MaxBody} {
		body := Body(n)
		if len(body) != n || !json.Valid(body) {
			t.Errorf("%d: %d bytes, JSON %v", n, len(body), json.Valid(body))
		}
		if !bytes.Equal(body, Body(n)) {
			t.Errorf("%d: not the same twice", n)
		}
	}
	if len(Body(0)) != 0 {
		t.Error("0 has bytes")
	}
	if n := testing.AllocsPerRun(100, func() { Body(1000) }); n != 0 {
		t.Errorf("%v allocations for a size that is ready", n)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	for n := range 3 * keptBodies {
		Body(1000 + n)
	}
	bodies.RLock()
	defer bodies.RUnlock()
	if len(bodies.ready) > keptBodies || bodies.bytes > keptBytes {
		t.Errorf("%d bodies of %d bytes are kept", len(bodies.ready), bodies.bytes)
	}
}

// TestExamplesAreTheGoldenRecords compares the calls and their replies with the
// published bytes, and the lengths with those that the article gives.
func TestExamplesAreTheGoldenRecords(t *testing.T) {
	text, err := os.ReadFile("../wire/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Record map[string]string }
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	want := func(start string) []byte {
		for name, digits := range vectors.Record {
			if b, err := hex.DecodeString(digits); strings.HasPrefix(name, start) && err == nil {
				return b
			}
		}
		t.Fatalf("no vector %s", start)
		return nil
	}
	call := ExampleRecordCall()
	if !bytes.Equal(call, want("request")) {
		t.Errorf("%x", call)
	}
	reply := ask(RecordBalance, "POST", "/rpc", call)
	if reply.Status != 200 || !bytes.Equal(reply.Body, want("response")) {
		t.Errorf("%d %x", reply.Status, reply.Body)
	}
	overHTTP := ask(JSONBalance, "POST", "/rpc", ExampleJSONCall())
	if overHTTP.Status != 200 || overHTTP.Type != JSON {
		t.Fatalf("%d %q", overHTTP.Status, overHTTP.Body)
	}
	if len(call)+len(reply.Body) != 162 || len(ExampleJSONCall())+len(overHTTP.Body) != 233 {
		t.Errorf("%d and %d bytes", len(call)+len(reply.Body), len(ExampleJSONCall())+len(overHTTP.Body))
	}
	var answer balanceAnswer
	var typed record.BalanceResponse
	if json.Unmarshal(overHTTP.Body, &answer) != nil || typed.Decode(reply.Body) != nil ||
		answer.ID != typed.ID || answer.Balance != typed.Balance || answer.Nonce != typed.Nonce ||
		answer.BlockHash != "0x"+hex.EncodeToString(typed.BlockHash) {
		t.Errorf("%+v %+v", answer, typed)
	}
}

func TestBalanceRefuses(t *testing.T) {
	good := string(ExampleJSONCall())
	for _, text := range []string{"", "{", "{}", "[]", strings.Replace(good, "eth_", "net_", 1), strings.Replace(good, "0x01", "0x1", 1),
		strings.Replace(good, "0x01", "0xg1", 1), strings.Replace(good, "0x", "0y", 1)} {
		if r := ask(JSONBalance, "POST", "/rpc", []byte(text)); r.Status != 400 {
			t.Errorf("%q: %d", text, r.Status)
		}
	}
	for _, call := range []record.BalanceRequest{{Method: []byte("eth_getBalance")}, {Method: []byte("x"), Account: make([]byte, 20)}} {
		message, err := call.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := ask(RecordBalance, "POST", "/rpc", message); r.Status != 400 {
			t.Errorf("%+v: %d", call, r.Status)
		}
	}
}

func TestChat(t *testing.T) {
	body := []byte(`{"model":"m","stream":false,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"one two three"}]}`)
	r := ask(nil, "POST", "/chat", body)
	var got Completion
	if err := json.Unmarshal(r.Body, &got); err != nil || r.Status != 200 {
		t.Fatal(r.Status, err)
	}
	if got.Model != "m" || len(got.Choices) != 1 || got.Choices[0].Message.Content != "one two three" ||
		got.Usage.Prompt != 5 || got.Usage.Completion != 3 || got.Usage.Total != 8 {
		t.Errorf("%+v", got)
	}
	again := ask(nil, "POST", "/chat", body)
	if !bytes.Equal(r.Body, again.Body) {
		t.Error("not the same twice")
	}
}

func TestRecordAllocatesNothing(t *testing.T) {
	var r Reply
	call := ExampleRecordCall()
	method, target := []byte("POST"), []byte("/rpc")
	if n := testing.AllocsPerRun(100, func() { Answer(&r, RecordBalance, method, target, call) }); n != 0 || r.Status != 200 {
		t.Errorf("%v allocations, status %d", n, r.Status)
	}
}
