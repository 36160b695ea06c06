package serve

import (
	"bytes"
	"strconv"
)

// ContentType is the type of a reply's body. It is a number, so that a server
// can keep the bytes of its header ready.
type ContentType uint8

// The content types of the routes.
const (
	Text ContentType = iota
	JSON
	Binary
	ContentTypes // how many there are
)

// String gives the header's value.
func (t ContentType) String() string {
	switch t {
	case Text:
		return "text/plain; charset=utf-8"
	case JSON:
		return "application/json"
	}
	return "application/octet-stream"
}

// Reply is what a handler answers. A server keeps one for each connection and
// lends it to one request after the other, so that a handler needs no memory of
// its own: it builds a body in Buffer and leaves the grown Buffer behind.
type Reply struct {
	Status int
	Type   ContentType
	// Body is a view: of Buffer, of the request's body, or of bytes that never
	// change. It holds until the request's bytes are let go.
	Body   []byte
	Buffer []byte
}

// Set gives status, type and body in one.
func (r *Reply) Set(status int, t ContentType, body []byte) {
	r.Status, r.Type, r.Body = status, t, body
}

// Procedure answers a typed call: it reads the call from body and gives the
// reply. It depends on the protocol: JSONBalance over HTTP, RecordBalance over
// ZAP.
type Procedure func(r *Reply, body []byte)

var ok = []byte("ok")

// Answer finds the route of a request and lets its handler reply:
//
//	GET  /health      200, "ok"
//	GET  /body/BYTES  200, Body(BYTES)
//	POST /echo        200, the request's body
//	POST /chat        200, a chat completion
//	POST /rpc         200, what the procedure says
//
// HEAD is not among them. An unknown target is 404, a known one with another
// method 405, and what a handler does not understand 400, each with a sentence
// as body.
func Answer(r *Reply, rpc Procedure, method, target, body []byte) {
	get, post := string(method) == "GET", string(method) == "POST"
	switch {
	case string(target) == "/health":
		if get {
			r.Set(200, Text, ok)
			return
		}
	case string(target) == "/rpc":
		if post {
			rpc(r, body)
			return
		}
	case string(target) == "/chat":
		if post {
			chat(r, body)
			return
		}
	case string(target) == "/echo":
		if post {
			r.Set(200, Binary, body)
			return
		}
	case bytes.HasPrefix(target, bodyPrefix):
		if get {
			sized(r, target[len(bodyPrefix):])
			return
		}
	default:
		r.fail(404, "there is no such target")
		return
	}
	r.fail(405, "this target does not take this method")
}

// fail replies with one sentence.
func (r *Reply) fail(status int, sentence string) {
	r.Buffer = append(append(r.Buffer[:0], sentence...), '\n')
	r.Set(status, Text, r.Buffer)
}

var bodyPrefix = []byte("/body/")

func sized(r *Reply, digits []byte) {
	// Converting such a short text for the call does not allocate.
	n, err := strconv.Atoi(string(digits))
	if err != nil || n < 0 || n > MaxBody || len(digits) > 8 {
		r.fail(400, "the size must be from 0 to 16777216")
		return
	}
	r.Set(200, JSON, Body(n))
}
