package naive

import (
	"testing"

	"nullius/zap/memory"
	"nullius/zap/serve"
	"nullius/zap/wire"
)

func health(t testing.TB) []byte {
	t.Helper()
	request, err := wire.AppendFramedRequest(nil, &wire.Request{Method: []byte("GET"), Target: []byte("/health"),
		Proto: []byte("HTTP/1.1"), Headers: []byte(`{"User-Agent":["bench"]}`)})
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// TestAllocatesAtThreePlaces counts the allocations of a request by what each
// of the three places costs: this is what the server is for.
func TestAllocatesAtThreePlaces(t *testing.T) {
	request := health(t)
	const n = 1000
	run := func() {
		conn := memory.NewConn(n, 1, request)
		New(serve.Defaults()).ServeConn(conn)
		if answered, err := conn.Answered(); err != nil || answered != n {
			t.Fatal(answered, err)
		}
	}
	const (
		frames  = 2 // the request's and the response's
		headers = 5 // the map's two, a name, its values and a value
		context = 1
	)
	if per := int(testing.AllocsPerRun(5, run) / n); per != frames+headers+context {
		t.Errorf("%d allocations for each request, expected %d", per, frames+headers+context)
	}
}
