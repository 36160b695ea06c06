package conformance

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"nullius/zap/naive"
	"nullius/zap/pooled"
	"nullius/zap/serve"
	"nullius/zap/wire"
)

// implementations are the servers under test, by name.
var implementations = map[string]func(serve.Options) serve.Server{
	"naive":         func(o serve.Options) serve.Server { return naive.New(o) },
	"pooled":        func(o serve.Options) serve.Server { return pooled.FromOptions(o, pooled.WritevAuto) },
	"pooled writev": func(o serve.Options) serve.Server { return pooled.FromOptions(o, pooled.WritevOn) },
	"pooled copied": func(o serve.Options) serve.Server { return pooled.FromOptions(o, pooled.WritevOff) },
}

// running is a server with a listener.
type running struct {
	serve.Server
	t       *testing.T
	address string
}

// each runs a test against every implementation. After the test the server is
// drained, and no goroutine may be left.
func each(t *testing.T, change func(*serve.Options), test func(*running)) {
	for name, build := range implementations {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			o := serve.Defaults()
			if change != nil {
				change(&o)
			}
			listener, err := serve.Listen(o)
			if err != nil {
				t.Fatal(err)
			}
			s := build(o)
			served := make(chan error, 1)
			go func() { served <- s.Serve(listener) }()
			test(&running{s, t, listener.Addr().String()})
			s.Drain(5 * time.Second)
			if err := <-served; err != nil {
				t.Errorf("Serve: %v", err)
			}
			eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// eventually waits until something holds, for at most ten seconds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("it does not come true that %s\n%s", what, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// client is a client's end of a connection.
type client struct {
	*net.TCPConn
	t *testing.T
}

func (r *running) dial() client {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return client{conn.(*net.TCPConn), r.t}
}

// send writes bytes as they are.
func (c client) send(b []byte) {
	c.t.Helper()
	if _, err := c.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// response reads one response.
func (c client) response() wire.Response {
	c.t.Helper()
	message, err := wire.ReadMessage(c, nil, 0)
	if err != nil {
		c.t.Fatalf("no response: %v", err)
	}
	var r wire.Response
	if err := r.Decode(message); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// expect reads one response and compares its status, and its body if one is given.
func (c client) expect(status uint16, body string) {
	c.t.Helper()
	if r := c.response(); r.Status != status || body != "" && string(r.Body) != body {
		c.t.Fatalf("%d %.80q, expected %d %.80q", r.Status, r.Body, status, body)
	}
}

// closed reads to the end, which must come with no further byte.
func (c client) closed() {
	c.t.Helper()
	rest, err := io.ReadAll(c)
	if network, ok := err.(net.Error); ok && network.Timeout() {
		c.t.Fatal("the server does not close the connection")
	}
	if len(rest) != 0 {
		c.t.Fatalf("%d bytes where the end was expected", len(rest))
	}
}

// healthy asks for /health and checks the answer.
func (c client) healthy() {
	c.t.Helper()
	c.send(framed(c.t, "GET", "/health", nil))
	c.expect(200, "ok")
}

// framed gives a request with its length prefix.
func framed(t testing.TB, method, target string, body []byte) []byte {
	t.Helper()
	out, err := wire.AppendFramedRequest(nil, &wire.Request{Method: []byte(method), Target: []byte(target),
		Proto: []byte("HTTP/1.1"), Headers: []byte(`{"User-Agent":["bench"]}`), Body: body})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// vectors gives the published and the hostile vectors.
func vectors(t testing.TB) map[string]map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("../wire/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string][]byte{}
	for _, group := range []string{"http", "record", "hostile"} {
		var named map[string]string
		if err := json.Unmarshal(raw[group], &named); err != nil {
			t.Fatal(err)
		}
		all[group] = map[string][]byte{}
		for name, digits := range named {
			b, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[group][name] = b
		}
	}
	return all
}
