package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"nullius/zap/serve"
)

type server interface {
	serve.Server
	ServeConn(net.Conn) error
}

// all are the servers by name. The log is thrown away but written.
var all = map[string]func(serve.Options) server{
	"fasthttp": func(o serve.Options) server { return NewFastHTTP(o) },
	"fiber":    func(o serve.Options) server { return NewFiber(o) },
	"zip":      func(o serve.Options) server { return NewZip(o, nil) },
	"zip-log":  func(o serve.Options) server { return NewZip(o, io.Discard) },
	"nethttp":  func(o serve.Options) server { return NewNetHTTP(o) },
}

// each runs a test against every server, listening with these options.
func each(t *testing.T, o serve.Options, test func(t *testing.T, s server, address string)) {
	for name, build := range all {
		t.Run(name, func(t *testing.T) {
			s := build(o)
			o.Port = 0
			listener, err := serve.Listen(o)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- s.Serve(listener) }()
			test(t, s, listener.Addr().String())
			s.Drain(5 * time.Second)
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("Serve gave %v", err)
				}
			case <-time.After(5 * time.Second):
				t.Error("Serve goes on after Drain")
			}
		})
	}
}

func dial(t *testing.T, address string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn, bufio.NewReader(conn)
}

// read gives the status and the body of the next response.
func read(t *testing.T, r *bufio.Reader) (int, string) {
	t.Helper()
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func request(method, target, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", method, target, len(body), body)
}

const (
	chatText    = `{"model":"m","messages":[{"role":"user","content":"one <two> three"}]}`
	balanceText = `{"id":1,"block":68943,"method":"eth_getBalance","account":"0x0102030405060708090a0b0c0d0e0f1011121314"}`
)

// asked are requests that all servers answer with the same bytes as
// serve.Answer; those that differ only in the words of an error are in refused.
var asked = []struct{ method, target, body string }{
	{"GET", "/health", ""},
	{"GET", "/body/0", ""},
	{"GET", "/body/1", ""},
	{"GET", "/body/1000", ""},
	{"GET", "/body/300000", ""},
	{"GET", "/body/99999999", ""},
	{"POST", "/echo", ""},
	{"POST", "/echo", "what \x00 goes in"},
	{"POST", "/chat", chatText},
	{"POST", "/chat", `{"model":"m","messages":[]}`},
	{"POST", "/rpc", balanceText},
}

func TestSameAnswers(t *testing.T) {
	each(t, serve.Defaults(), func(t *testing.T, s server, address string) {
		conn, r := dial(t, address)
		for _, a := range asked {
			var want serve.Reply
			serve.Answer(&want, serve.JSONBalance, []byte(a.method), []byte(a.target), []byte(a.body))
			io.WriteString(conn, request(a.method, a.target, a.body))
			status, body := read(t, r)
			if status != want.Status || body != string(want.Body) {
				t.Errorf("%s %s gave %d %.80q, want %d %.80q", a.method, a.target, status, body, want.Status, want.Body)
			}
		}
		if got := s.Counts(); got != (serve.Counts{Accepted: 1, Replied: int64(len(asked))}) {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestErrors(t *testing.T) {
	each(t, serve.Defaults(), func(t *testing.T, s server, address string) {
		conn, r := dial(t, address)
		for _, a := range []struct {
			method, target, body string
			status               int
		}{
			{"GET", "/nowhere", "", 404},
			{"POST", "/health", "", 405},
			{"GET", "/chat", "", 405},
			{"POST", "/chat", "{", 400},
			{"POST", "/rpc", `{"id":1}`, 400},
			{"GET", "/body/x", "", 400},
			{"GET", "/health", "", 200},
		} {
			io.WriteString(conn, request(a.method, a.target, a.body))
			if status, body := read(t, r); status != a.status {
				t.Errorf("%s %s gave %d %.80q, want %d", a.method, a.target, status, body, a.status)
			}
		}
	})
}

func TestPipelined(t *testing.T) {
	each(t, serve.Defaults(), func(t *testing.T, s server, address string) {
		conn, r := dial(t, address)
		io.WriteString(conn, strings.Repeat(request("GET", "/health", ""), 20)+request("POST", "/echo", "last"))
		for range 20 {
			if status, body := read(t, r); status != 200 || body != "ok" {
				t.Fatalf("got %d %q", status, body)
			}
		}
		if status, body := read(t, r); status != 200 || body != "last" {
			t.Errorf("got %d %q", status, body)
		}
	})
}

func TestLongBodyIsRefused(t *testing.T) {
	o := serve.Defaults()
	o.FrameLimit = 1000
	each(t, o, func(t *testing.T, s server, address string) {
		conn, r := dial(t, address)
		io.WriteString(conn, request("POST", "/echo", strings.Repeat("x", 1000)))
		if status, _ := read(t, r); status != 200 {
			t.Errorf("1000 bytes gave %d", status)
		}
		io.WriteString(conn, request("POST", "/echo", strings.Repeat("x", 1001)))
		if status, _ := read(t, r); status != 413 {
			t.Errorf("1001 bytes gave %d", status)
		}
		if got := s.Counts(); got.Refused != 1 || got.Replied != 1 {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestConnectionsAreBounded(t *testing.T) {
	o := serve.Defaults()
	o.Connections = 1
	each(t, o, func(t *testing.T, s server, address string) {
		first, r := dial(t, address)
		io.WriteString(first, request("GET", "/health", ""))
		read(t, r)
		second, r2 := dial(t, address)
		// What it says before it is turned away must not cost it the answer.
		io.WriteString(second, request("POST", "/echo", strings.Repeat("x", 100000)))
		if status, _ := read(t, r2); status != 503 {
			t.Errorf("the second connection got %d", status)
		}
		if _, err := r2.ReadByte(); err != io.EOF {
			t.Errorf("and then %v", err)
		}
		io.WriteString(first, request("GET", "/health", ""))
		if status, _ := read(t, r); status != 200 {
			t.Errorf("the first then got %d", status)
		}
		if got := s.Counts(); got != (serve.Counts{Accepted: 2, Replied: 2, Refused: 1}) {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestSlowClientsAreClosed(t *testing.T) {
	o := serve.Defaults()
	o.Timeout = 100 * time.Millisecond
	each(t, o, func(t *testing.T, s server, address string) {
		for _, sent := range []string{"", "GET /health HT", "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf", request("GET", "/health", "")} {
			conn, r := dial(t, address)
			io.WriteString(conn, sent)
			if _, err := io.Copy(io.Discard, r); err != nil {
				t.Errorf("after %q: %v", sent, err)
			}
		}
		if got := s.Counts(); got.TimedOut != 4 {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestServeConn(t *testing.T) {
	for name, build := range all {
		t.Run(name, func(t *testing.T) {
			s := build(serve.Defaults())
			client, inner := net.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- s.ServeConn(inner) }()
			go io.WriteString(client, request("GET", "/health", "")+request("POST", "/echo", "x"))
			r := bufio.NewReader(client)
			for _, want := range []string{"ok", "x"} {
				if status, body := read(t, r); status != 200 || body != want {
					t.Errorf("got %d %q", status, body)
				}
			}
			client.Close()
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Fatal("ServeConn goes on")
			}
			if got := s.Counts(); got != (serve.Counts{Accepted: 1, Replied: 2}) {
				t.Errorf("counted %+v", got)
			}
		})
	}
}

func TestHandlersAllocateNothing(t *testing.T) {
	for name, build := range all {
		s, ok := build(serve.Defaults()).(*FastHTTP)
		if !ok || name == "zip-log" {
			continue
		}
		var request fasthttp.Request
		request.SetRequestURI("/health")
		var ctx fasthttp.RequestCtx
		ctx.Init(&request, nil, nil)
		if got := testing.AllocsPerRun(1000, func() { s.server.Handler(&ctx) }); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
		if body := ctx.Response.Body(); string(body) != "ok" {
			t.Errorf("%s: %q", name, body)
		}
	}
}

func TestLogLines(t *testing.T) {
	var out bytes.Buffer
	s := NewZip(serve.Defaults(), &out)
	client, inner := net.Pipe()
	go s.ServeConn(inner)
	go io.WriteString(client, "GET /health HTTP/1.1\r\nHost: h\r\nUser-Agent: tester\r\n\r\n"+request("POST", "/chat", "{"))
	r := bufio.NewReader(client)
	read(t, r)
	read(t, r)
	client.Close()
	s.Drain(time.Second)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, want := range []map[string]any{
		{"level": "INFO", "msg": "request", "id": "1", "method": "GET", "path": "/health", "status": 200.0, "bytes": 2.0, "agent": "tester"},
		{"level": "INFO", "msg": "request", "id": "2", "method": "POST", "path": "/chat", "status": 400.0, "bytes": 42.0, "agent": ""},
	} {
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("line %d has %s %v, want %v", i, name, got[name], value)
			}
		}
		for _, name := range []string{"time", "duration_ns", "client"} {
			if _, there := got[name]; !there {
				t.Errorf("line %d has no %s", i, name)
			}
		}
	}
}
