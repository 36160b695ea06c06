package pooled

import (
	"encoding/binary"
	"math"

	"nullius/zap/serve"
	"nullius/zap/wire"
)

// template is a framed response without its body: what all responses of one
// status and one set of headers have in common.
type template []byte

// Where the numbers that depend on the body stand in a framed response.
const (
	totalAt    = wire.PrefixBytes + 12
	bodySlotAt = wire.PrefixBytes + wire.HeaderBytes + 32
)

// appendTo appends the response's bytes up to its body of n bytes, which is to
// follow. n is at most wire.MaxMessageBytes less what goes before.
func (t template) appendTo(dst []byte, n int) []byte {
	before := len(dst)
	dst = append(dst, t...)
	head := dst[before:]
	total := uint32(len(t) - wire.PrefixBytes + n)
	binary.BigEndian.PutUint32(head, total)
	binary.LittleEndian.PutUint32(head[totalAt:], total)
	if n != 0 {
		// The slot's offset counts from the slot.
		binary.LittleEndian.PutUint64(head[bodySlotAt:], uint64(len(t)-bodySlotAt)|uint64(n)<<32)
	}
	return dst
}

var proto = []byte("HTTP/1.1")

// contentTypes has the headers of a reply that says only its content type.
var contentTypes = func() (all [serve.ContentTypes]wire.Headers) {
	for t := range all {
		value := serve.ContentType(t).String()
		headers, err := wire.AppendHeaders(nil, []wire.Header{{Name: "Content-Type", Values: []string{value}}})
		if err != nil {
			panic(err)
		}
		all[t] = headers
	}
	return all
}()

// successes has the templates of status 200, ready.
var successes = func() (all [serve.ContentTypes]template) {
	for t := range all {
		head, err := appendHead(nil, 200, contentTypes[t])
		if err != nil {
			panic(err)
		}
		all[t] = head
	}
	return all
}()

// appendHead appends the framed response without body.
func appendHead(dst []byte, status int, headers wire.Headers) ([]byte, error) {
	return wire.AppendFramedResponse(dst, &wire.Response{
		Status: uint16(max(0, min(status, math.MaxUint16))), Reason: serve.Reason(status), Proto: proto, Headers: headers,
	})
}

// appendReply appends the context's reply up to its body and gives the body
// that is to follow. A reply that cannot be sent becomes a 500 without body.
func (c *Context) appendReply(dst []byte) (out, body []byte) {
	r := &c.Reply
	if r.Status == 200 && r.Type < serve.ContentTypes && c.ReplyHeaders == nil && len(r.Body) <= templateBody {
		return successes[r.Type].appendTo(dst, len(r.Body)), r.Body
	}
	return c.appendUncommon(dst)
}

// templateBody is the longest body for which no sum needs to be checked: the
// templates are shorter than a KiB.
const templateBody = wire.MaxMessageBytes - 1<<10

// appendUncommon makes a template of its own for the reply, at the end of dst,
// and fills it in there.
func (c *Context) appendUncommon(dst []byte) (out, body []byte) {
	r, headers := &c.Reply, c.ReplyHeaders
	err := headers.Check()
	if headers == nil && r.Type < serve.ContentTypes {
		headers = contentTypes[r.Type]
	}
	before := len(dst)
	out, body = dst, r.Body
	if err == nil {
		out, err = appendHead(dst, r.Status, headers)
	}
	if err != nil || len(out)-before+len(body) > wire.MaxMessageBytes {
		body = nil
		if out, err = appendHead(dst[:before], 500, nil); err != nil {
			panic(err) // nothing in it can be refused
		}
	}
	// The template lies where its copy is to be, so its numbers are put in
	// place.
	return template(out[before:]).appendTo(out[:before], len(body)), body
}
