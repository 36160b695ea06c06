package codecs

import (
	"runtime"
	"strings"
	"testing"
)

// allocations is what one operation allocates, with Go 1.27 and the libraries that
// go.mod pins: decode and encode of the request and of the response, and handler.
type allocations struct {
	decodeRequest, decodeResponse, encodeRequest, encodeResponse, handler float64
}

// With an account or hash that json/v2 has in its cache of strings it allocates one
// less; here it always has, as the same record comes again and again.
var countedAllocations = map[string]allocations{
	"json":              jsonAllocations,
	"jsonv2":            {1, 1, 1, 1, 3},
	"goccy":             {3, 2, 1, 1, 5},
	"sonic":             {3, 3, 2, 2, 6},
	"protobuf":          {3, 2, 1, 1, 5},
	"vtprotobuf":        {2, 1, 1, 1, 3},
	"vtprotobuf-unsafe": {},
	"flatbuffers":       {},
	"zap":               {},
}

func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	if !strings.HasPrefix(runtime.Version(), "go1.27") {
		t.Skip("counted with Go 1.27")
	}
	every(t, func(t *testing.T, name string, c Codec, _ []Record) {
		if name == "sonic" && runtime.GOARCH != "amd64" {
			t.Skip("counted on amd64")
		}
		request, response, dst := encoded(t, c.EncodeRequest, 0), encoded(t, c.EncodeResponse, 0), make([]byte, 0, 256)
		got := allocations{
			decodeRequest:  testing.AllocsPerRun(200, func() { c.DecodeRequest(request) }),
			decodeResponse: testing.AllocsPerRun(200, func() { c.DecodeResponse(response) }),
			encodeRequest:  testing.AllocsPerRun(200, func() { c.EncodeRequest(dst, 0) }),
			encodeResponse: testing.AllocsPerRun(200, func() { c.EncodeResponse(dst, 0) }),
			handler:        testing.AllocsPerRun(200, func() { c.Handle(dst, request) }),
		}
		if want := countedAllocations[name]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// With strings that it never saw json/v2 allocates one more for each.
func TestJSONv2CachesStrings(t *testing.T) {
	library, ok := libraries["jsonv2"]
	if !ok || raceDetector {
		t.Skip("not in this build")
	}
	var bodies [][]byte
	for i := range 201 {
		r := Records()[0].Request
		r.Account[18], r.Account[19] = byte(i), byte(i>>8)
		body, err := library.marshal(requestJSON{r.ID, r.Block, r.Method, hexText(r.Account[:])})
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	next := 0
	if n := testing.AllocsPerRun(200, func() {
		var q requestJSON
		library.unmarshal(bodies[next], &q)
		next++
	}); n != 2 {
		t.Errorf("%v allocations, want 2", n)
	}
}
