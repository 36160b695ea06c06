package conformance

import (
	"bytes"
	"io"
	"testing"

	"nullius/zap/serve"
	"nullius/zap/wire"
)

// TestGolden asks with the published request's bytes and compares the
// response's bytes with the published ones.
func TestGolden(t *testing.T) {
	http := vectors(t)["http"]
	request := http["request GET /health, User-Agent bench, with prefix"]
	want := http["response 200 ok, Content-Type text/plain; charset=utf-8"]
	want = append(wire.AppendPrefix(nil, len(want)), want...)
	without := http["request GET /health, no headers"]
	each(t, nil, func(r *running) {
		c := r.dial()
		got := make([]byte, len(want))
		for _, ask := range [][]byte{request, append(wire.AppendPrefix(nil, len(without)), without...), request} {
			c.send(ask)
			if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
				r.t.Fatalf("%x, %v\nexpected %x", got, err, want)
			}
		}
	})
}

// TestRoutes compares every route's bytes between the implementations, by
// comparing each with what package wire makes of the handlers' reply.
func TestRoutes(t *testing.T) {
	chat := []byte(`{"model":"m","messages":[{"role":"user","content":"two words"}]}`)
	each(t, nil, func(r *running) {
		c := r.dial()
		for _, q := range []struct {
			method, target string
			body           []byte
		}{
			{"GET", "/health", nil}, {"POST", "/chat", chat}, {"POST", "/chat", []byte("{")}, {"POST", "/chat", []byte("{}")},
			{"GET", "/body/0", nil}, {"GET", "/body/1", nil}, {"GET", "/body/5000", nil}, {"GET", "/body/1000000", nil},
			{"GET", "/body/99999999", nil}, {"GET", "/body/-1", nil}, {"GET", "/body/", nil},
			{"POST", "/echo", nil}, {"POST", "/echo", []byte("e")}, {"POST", "/echo", serve.Body(1 << 20)}, {"POST", "/echo", serve.Body(5000)},
			{"POST", "/rpc", serve.ExampleRecordCall()}, {"POST", "/rpc", nil}, {"POST", "/rpc", serve.ExampleJSONCall()},
			{"GET", "/", nil}, {"PUT", "/health", nil}, {"GET", "/health", nil},
		} {
			var reply serve.Reply
			serve.Answer(&reply, serve.RecordBalance, []byte(q.method), []byte(q.target), q.body)
			headers, err := wire.AppendHeaders(nil, []wire.Header{{Name: "Content-Type", Values: []string{reply.Type.String()}}})
			if err != nil {
				r.t.Fatal(err)
			}
			want, err := wire.AppendFramedResponse(nil, &wire.Response{Status: uint16(reply.Status), Reason: serve.Reason(reply.Status),
				Proto: []byte("HTTP/1.1"), Headers: headers, Body: reply.Body})
			if err != nil {
				r.t.Fatal(err)
			}
			go c.Write(framed(r.t, q.method, q.target, q.body))
			got := make([]byte, len(want))
			if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
				r.t.Fatalf("%s %s: %v\n%.200q\nexpected\n%.200q", q.method, q.target, err, got, want)
			}
		}
		if n := r.Counts(); n.Refused != 0 || n.TimedOut != 0 {
			r.t.Errorf("counts: %+v", n)
		}
	})
}

// TestPipelined sends requests of different sizes at once, cut at odd places.
func TestPipelined(t *testing.T) {
	var sent []byte
	const rounds = 300
	for i := range rounds {
		sent = append(sent, framed(t, "GET", "/health", nil)...)
		sent = append(sent, framed(t, "POST", "/echo", serve.Body(i*97))...)
	}
	each(t, nil, func(r *running) {
		c := r.dial()
		go func() {
			for rest := sent; len(rest) > 0; {
				n := min(len(rest), 1+len(rest)*7%8191)
				c.Write(rest[:n])
				rest = rest[n:]
			}
		}()
		for i := range rounds {
			c.expect(200, "ok")
			c.expect(200, string(serve.Body(i*97)))
		}
		eventually(r.t, "all are counted", func() bool { return r.Counts().Replied == 2*rounds })
	})
}
