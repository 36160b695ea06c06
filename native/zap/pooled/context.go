package pooled

import (
	"bytes"

	"nullius/zap/serve"
	"nullius/zap/wire"
)

// Handler answers a request through its context. The context, and all bytes
// that it refers to, are the handler's until it returns.
type Handler func(*Context)

// Context is a request with its reply. There is one for each connection, used
// for one request after the other.
type Context struct {
	// Request is the request, as views into what was read.
	wire.Request
	// Reply is what the handler answers; its Body may be a view of the
	// request's. Without a status the client is told of a 500.
	Reply serve.Reply
	// ReplyHeaders are the reply's headers as wire.AppendHeaders writes them;
	// nil stands for a Content-Type after the reply's type.
	ReplyHeaders wire.Headers

	// fields are the headers of the connection's last request that had others
	// than the one before, as views into known, a copy of their text, and into
	// scratch, where something in them was escaped.
	fields  []Field
	known   []byte
	scratch []byte
}

// Field is one value of a header; a header with several comes as several, next
// to each other.
type Field struct{ Name, Value []byte }

// Fields gives the request's headers, sorted by name.
func (c *Context) Fields() []Field { return c.fields }

// Header gives the first value of a header, whatever the case of its name, and
// nil if there is none.
func (c *Context) Header(name string) []byte {
	for i := range c.fields {
		if equalFold(c.fields[i].Name, name) {
			return c.fields[i].Value
		}
	}
	return nil
}

// equalFold compares names of HTTP, which are ASCII.
func equalFold(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x != y && (x|0x20 != y|0x20 || x|0x20 < 'a' || x|0x20 > 'z') {
			return false
		}
	}
	return true
}

// keptReply is the longest reply buffer of a handler that stays with the
// context.
const keptReply = 64 << 10

// begin reads a message into the context: the request and its headers, all
// checked.
func (c *Context) begin(message []byte) error {
	if err := c.Request.Decode(message); err != nil {
		return err
	}
	c.Reply.Set(0, serve.Text, nil)
	c.ReplyHeaders = nil
	// A client sends the same headers with most requests of a connection.
	// Comparing them with those parsed last takes a tenth of parsing them.
	if !bytes.Equal(c.Headers, c.known) {
		if err := c.parse(); err != nil {
			return err
		}
	}
	if len(c.Trailer) != 0 {
		return wire.Headers(c.Trailer).Check()
	}
	return nil
}

// parse reads and checks headers that are not known.
func (c *Context) parse() error {
	c.known = append(c.known[:0], c.Headers...)
	c.fields = c.fields[:0]
	if cap(c.scratch) < len(c.known) {
		c.scratch = make([]byte, 0, max(256, len(c.known)))
	}
	fields := c.fields
	var cursor wire.Cursor
	for cursor.Reset(c.known, c.scratch); cursor.Next(); {
		fields = append(fields, Field{cursor.Name, cursor.Value})
	}
	c.fields = fields
	if err := cursor.Err(); err != nil {
		c.known, c.fields = c.known[:0], c.fields[:0]
		return err
	}
	return nil
}

// end gives up what has grown.
func (c *Context) end() {
	if cap(c.Reply.Buffer) > keptReply {
		c.Reply.Buffer = nil
	}
	if cap(c.known) > firstBytes {
		c.known, c.scratch, c.fields = nil, nil, nil
	}
}

// forget drops all views, so that they keep no memory from the collector.
func (c *Context) forget() {
	c.Request = wire.Request{}
	c.Reply.Body, c.ReplyHeaders = nil, nil
	c.known, c.fields = c.known[:0], c.fields[:0]
}
