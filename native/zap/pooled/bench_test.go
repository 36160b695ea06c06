package pooled

import (
	"nullius/zap/memory"
	"testing"
)

func BenchmarkHealth(b *testing.B) {
	b.ReportAllocs()
	conn := memory.NewConn(frame(b, "GET", "/health", nil), b.N+1, 1)
	New(Routes, bounded(), WritevAuto).ServeConn(conn)
	if _, err := conn.Answered(); err != nil {
		b.Fatal(err)
	}
}
