package naive

import (
	"testing"

	"nullius/zap/memory"
	"nullius/zap/serve"
)

func BenchmarkHealth(b *testing.B) {
	conn := memory.NewConn(b.N+1, 1, health(b))
	b.ReportAllocs()
	New(serve.Defaults()).ServeConn(conn)
	if _, err := conn.Answered(); err != nil {
		b.Fatal(err)
	}
}
