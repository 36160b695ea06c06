package pooled

import (
	"bytes"
	"testing"

	"nullius/zap/memory"
	"nullius/zap/serve"
)

// benchmark answers b.N requests on one connection in memory. Program
// bench-server does the same beside other servers.
func benchmark(b *testing.B, depth int, requests ...[]byte) {
	conn := memory.NewConn(b.N+1, depth, requests...)
	b.ReportAllocs()
	New(Routes, bounded(), WritevAuto).ServeConn(conn)
	if _, err := conn.Answered(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkHealth(b *testing.B) { benchmark(b, 1, frame(b, "GET", "/health", nil)) }

func BenchmarkHealthPipelined(b *testing.B) { benchmark(b, 16, frame(b, "GET", "/health", nil)) }

// BenchmarkHealthOtherHeaders has other headers with each request, so that all
// are parsed.
func BenchmarkHealthOtherHeaders(b *testing.B) {
	request := frame(b, "GET", "/health", nil)
	benchmark(b, 1, request, bytes.Replace(request, []byte("bench"), []byte("other"), 1))
}

func BenchmarkRecord(b *testing.B) {
	benchmark(b, 1, frame(b, "POST", "/rpc", serve.ExampleRecordCall()))
}

func BenchmarkEcho64K(b *testing.B) { benchmark(b, 1, frame(b, "POST", "/echo", serve.Body(64<<10))) }
