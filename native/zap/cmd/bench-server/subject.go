package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"nullius/zap/memory"
	"nullius/zap/naive"
	"nullius/zap/pooled"
	"nullius/zap/serve"
	"nullius/zap/web"
	"nullius/zap/wire"
)

// subject is a server to be measured.
type subject struct {
	http  bool // else ZAP
	loose bool // the reply's length depends on the request's number
	make  func(serve.Options) running
}

// running is a server with its options.
type running struct {
	serveConn func(net.Conn)
	path      string
}

var subjects = map[string]subject{
	"constant": {make: func(serve.Options) running {
		return running{constant, serve.Versions("a constant reply, the cost of the harness itself")}
	}},
	"pooled": {make: func(o serve.Options) running {
		s := pooled.FromOptions(o, pooled.WritevAuto)
		return running{s.ServeConn, s.Path()}
	}},
	"naive": {make: func(o serve.Options) running {
		s := naive.New(o)
		return running{s.ServeConn, s.Path()}
	}},
	"fasthttp": {http: true, make: func(o serve.Options) running { return overHTTP(web.NewFastHTTP(o)) }},
	"fiber":    {http: true, make: func(o serve.Options) running { return overHTTP(web.NewFiber(o)) }},
	"zip":      {http: true, make: func(o serve.Options) running { return overHTTP(web.NewZip(o, nil)) }},
	"zip-log":  {http: true, loose: true, make: func(o serve.Options) running { return overHTTP(web.NewZip(o, io.Discard)) }},
}

func overHTTP(s interface {
	ServeConn(net.Conn) error
	Path() string
}) running {
	return running{func(c net.Conn) { s.ServeConn(c) }, s.Path()} // how it ended is the connection's to say
}

func names() string {
	return strings.Join(slices.Sorted(maps.Keys(subjects)), ", ")
}

// constant answers what it reads by the reply to GET /health, without looking.
func constant(conn net.Conn) {
	reply, err := wire.AppendFramedResponse(nil, &wire.Response{Status: 200, Reason: []byte("OK"), Proto: []byte("HTTP/1.1"),
		Headers: []byte(`{"Content-Type":["text/plain; charset=utf-8"]}`), Body: []byte("ok")})
	if err != nil {
		panic(err) // nothing in it can be refused
	}
	request := len(healthRequest())
	buffer := make([]byte, 4096)
	var out []byte
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		out = out[:0]
		for ; n >= request; n -= request {
			out = append(out, reply...)
		}
		conn.Write(out)
	}
}

func healthRequest() []byte {
	request, err := (subject{}).request("/health", "bench")
	if err != nil {
		panic(err)
	}
	return request
}

// chatBody is a chat as a client sends it.
const chatBody = `{"model":"small","messages":[{"role":"system","content":"You answer in one sentence."},` +
	`{"role":"user","content":"Why does a binary protocol not always win against a textual one?"}],"temperature":0.2,"max_tokens":128}`

// requests gives one request of a route, or two that differ in a header.
func (s subject) requests(route string, changing bool) ([][]byte, error) {
	agents := []string{"bench"}
	if changing {
		agents = append(agents, "other")
	}
	var all [][]byte
	for _, agent := range agents {
		request, err := s.request(route, agent)
		if err != nil {
			return nil, err
		}
		all = append(all, request)
	}
	return all, nil
}

// request gives the bytes of a request of a route, on either protocol with the
// same fields.
func (s subject) request(route, agent string) ([]byte, error) {
	method, content, kind := "GET", []byte(nil), serve.JSON
	switch route {
	case "/chat":
		method, content = "POST", []byte(chatBody)
	case "/echo":
		method, content, kind = "POST", serve.Body(1024), serve.Binary
	case "/rpc":
		method, content = "POST", serve.ExampleJSONCall()
		if !s.http {
			content, kind = serve.ExampleRecordCall(), serve.Binary
		}
	}
	if s.http {
		out := []byte(method + " " + route + " HTTP/1.1\r\nHost: bench\r\nUser-Agent: " + agent + "\r\n")
		if content != nil {
			out = append(out, "Content-Type: "+kind.String()+"\r\nContent-Length: "+strconv.Itoa(len(content))+"\r\n"...)
		}
		return append(append(out, "\r\n"...), content...), nil
	}
	fields := []wire.Header{{Name: "Host", Values: []string{"bench"}}, {Name: "User-Agent", Values: []string{agent}}}
	if content != nil {
		fields = append(fields, wire.Header{Name: "Content-Type", Values: []string{kind.String()}})
	}
	headers, err := wire.AppendHeaders(nil, fields)
	if err != nil {
		return nil, err
	}
	return wire.AppendFramedRequest(nil, &wire.Request{Method: []byte(method), Target: []byte(route), Proto: []byte("HTTP/1.1"),
		Headers: headers, Body: content})
}

// status gives a reply's status, to show that it is the one that was meant.
func (s subject) status(reply []byte) string {
	if s.http {
		if fields := bytes.Fields(reply); len(fields) > 1 {
			return string(fields[1])
		}
		return "none"
	}
	var r wire.Response
	if len(reply) < wire.PrefixBytes || r.Decode(reply[wire.PrefixBytes:]) != nil {
		return "none"
	}
	return fmt.Sprint(r.Status)
}

var _ net.Conn = (*memory.Conn)(nil)
