package web

import (
	"testing"

	"github.com/valyala/fasthttp"

	"nullius/zap/serve"
)

// BenchmarkHandler is a handler alone, without connection, parser and writer:
// what a framework adds to them.
func BenchmarkHandler(b *testing.B) {
	for _, name := range []string{"fasthttp", "fiber", "zip", "zip-log"} {
		for _, a := range []struct{ method, target, body string }{{"GET", "/health", ""}, {"POST", "/chat", chatText}} {
			b.Run(name+a.target, func(b *testing.B) {
				s := all[name](serve.Defaults()).(*FastHTTP)
				var request fasthttp.Request
				request.Header.SetMethod(a.method)
				request.SetRequestURI(a.target)
				request.SetBodyString(a.body)
				var ctx fasthttp.RequestCtx
				ctx.Init(&request, nil, nil)
				b.ReportAllocs()
				for b.Loop() {
					ctx.Response.Reset()
					s.server.Handler(&ctx)
				}
				if ctx.Response.StatusCode() != 200 {
					b.Fatalf("status %d", ctx.Response.StatusCode())
				}
			})
		}
	}
}
