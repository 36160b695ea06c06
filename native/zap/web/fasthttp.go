package web

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"nullius/zap/serve"
)

// FastHTTP is a fasthttp server around one handler.
type FastHTTP struct {
	path    string
	options serve.Options
	server  fasthttp.Server
	counts  counts

	mu       sync.Mutex
	listener *listener
}

// headBytes is the buffer for a request's head, and so the longest head.
const headBytes = 8 << 10

func newFastHTTP(path string, o serve.Options, handler fasthttp.RequestHandler) *FastHTTP {
	s := &FastHTTP{path: path, options: o}
	s.server = fasthttp.Server{
		Handler: func(ctx *fasthttp.RequestCtx) {
			handler(ctx)
			s.counts.replied.Add(1)
		},
		ErrorHandler:       s.fault,
		Logger:             silent{},
		ReadBufferSize:     headBytes,
		ReadTimeout:        o.Timeout,
		WriteTimeout:       o.Timeout,
		IdleTimeout:        o.Timeout,
		MaxRequestBodySize: o.FrameLimit,
		CloseOnShutdown:    true,
	}
	return s
}

// NewFastHTTP answers by fasthttp alone.
func NewFastHTTP(o serve.Options) *FastHTTP {
	return NewFastHTTPBy(serve.Versions("fasthttp", "github.com/valyala/fasthttp"), o, serve.JSONBalance)
}

// NewFastHTTPBy is the same with another procedure behind /rpc; path says what
// it is.
func NewFastHTTPBy(path string, o serve.Options, rpc serve.Procedure) *FastHTTP {
	return newFastHTTP(path, o, func(ctx *fasthttp.RequestCtx) { answer(ctx, rpc) })
}

// replies are lent to one request after the other, as a connection's would be.
var replies = sync.Pool{New: func() any { return new(serve.Reply) }}

// keptBuffer is the longest buffer that a reply keeps for the next.
const keptBuffer = 1 << 20

func giveBack(r *serve.Reply) {
	if cap(r.Buffer) > keptBuffer {
		r.Buffer = nil
	}
	r.Body = nil
	replies.Put(r)
}

// contentTypes are the header's values ready to be set.
var contentTypes = func() (values [serve.ContentTypes][]byte) {
	for i := range values {
		values[i] = []byte(serve.ContentType(i).String())
	}
	return values
}()

func answer(ctx *fasthttp.RequestCtx, rpc serve.Procedure) {
	r := replies.Get().(*serve.Reply)
	serve.Answer(r, rpc, ctx.Method(), ctx.Path(), ctx.PostBody())
	ctx.SetStatusCode(r.Status)
	ctx.SetContentTypeBytes(contentTypes[r.Type])
	if inBuffer(r) {
		ctx.SetBody(r.Body)
	} else {
		// The body outlives the response: it is the request's or never changes.
		ctx.Response.SetBodyRaw(r.Body)
	}
	giveBack(r)
}

// inBuffer tells bodies that lie in the reply's own buffer, which the next
// request overwrites.
func inBuffer(r *serve.Reply) bool {
	return len(r.Body) > 0 && cap(r.Buffer) > 0 && &r.Body[0] == &r.Buffer[:1][0]
}

// fault answers what was not understood.
func (s *FastHTTP) fault(ctx *fasthttp.RequestCtx, err error) {
	var long *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		ctx.Error("the request took too long", fasthttp.StatusRequestTimeout) // counted by the connection
		return
	case errors.As(err, &long):
		ctx.Error("the request's head is too long", fasthttp.StatusRequestHeaderFieldsTooLarge)
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		ctx.Error("the request's body is too long", fasthttp.StatusRequestEntityTooLarge)
	default:
		ctx.Error("the request is not one of HTTP", fasthttp.StatusBadRequest)
	}
	s.counts.refused.Add(1)
}

// Path says what this is.
func (s *FastHTTP) Path() string { return s.path }

// Counts gives what was done so far.
func (s *FastHTTP) Counts() serve.Counts { return s.counts.read() }

// Serve accepts connections until Drain.
func (s *FastHTTP) Serve(inner net.Listener) error {
	l := listen(inner, s.options.Connections, &s.counts)
	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()
	return s.server.Serve(l)
}

// ServeConn answers on one connection until it ends, and closes it.
func (s *FastHTTP) ServeConn(conn net.Conn) error {
	s.counts.accepted.Add(1)
	return s.server.ServeConn(conn)
}

// Drain takes no new connections, lets begun requests be answered and closes
// the others; what is left when the limit has run out is closed.
func (s *FastHTTP) Drain(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if s.server.ShutdownWithContext(ctx) == nil {
		return
	}
	s.mu.Lock()
	l := s.listener
	s.mu.Unlock()
	if l != nil {
		l.closeAll()
	}
}

// silent is a logger that writes nothing: what it would say is counted.
type silent struct{}

func (silent) Printf(string, ...any) {}
