package load

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nullius/zap/wire"
)

// verdicts feeds the parts to a reader and gives what it says of each reply, up
// to one that ends the connection.
func verdicts(c *checker, parts ...[]byte) (all []failure) {
	var r reader
	for _, part := range parts {
		for len(part) > 0 {
			used, whole, verdict := r.next(c, part)
			part = part[used:]
			if whole {
				all = append(all, verdict)
			}
			if whole && verdict == badReply {
				return all
			}
		}
	}
	return all
}

func newChecker(protocol protocol, body string) *checker {
	return &checker{protocol: protocol, expected: &Expected{Status: 200, Body: []byte(body)}}
}

func httpReply(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

func streams(t testing.TB) map[string]struct {
	protocol protocol
	text     []byte
} {
	z := func(status uint16, body string) string {
		return string(zapReply(t, wire.Response{Status: status, Body: []byte(body)}))
	}
	return map[string]struct {
		protocol protocol
		text     []byte
	}{
		"http": {http{}, []byte(httpReply(200, "ok") + httpReply(200, "no") + httpReply(200, "ok") + httpReply(500, "broken") + httpReply(200, "") + httpReply(404, "ok") + httpReply(200, "ok"))},
		"zap":  {zap{}, []byte(z(200, "ok") + z(200, "no") + z(200, "ok") + z(500, "broken") + z(200, "") + z(404, "ok") + z(200, "ok"))},
	}
}

var streamVerdicts = []failure{none, wrongBody, none, wrongStatus, wrongBody, wrongStatus, none}

func TestRepliesInAnySplit(t *testing.T) {
	for name, stream := range streams(t) {
		text := stream.text
		if got := verdicts(newChecker(stream.protocol, "ok"), text); !slices.Equal(got, streamVerdicts) {
			t.Errorf("%s whole: %v", name, got)
		}
		for i := range text {
			for _, j := range []int{i, min(i+1, len(text)), (i + len(text)) / 2} {
				if got := verdicts(newChecker(stream.protocol, "ok"), text[:i], text[i:j], text[j:]); !slices.Equal(got, streamVerdicts) {
					t.Fatalf("%s split at %d and %d: %v", name, i, j, got)
				}
			}
		}
		if got := verdicts(newChecker(stream.protocol, "ok"), slices.Collect(slices.Chunk(text, 1))...); !slices.Equal(got, streamVerdicts) {
			t.Errorf("%s byte by byte: %v", name, got)
		}
	}
}

func TestKnownReplyAllocatesNothing(t *testing.T) {
	for name, stream := range streams(t) {
		c := newChecker(stream.protocol, "ok")
		first := stream.text[:len(stream.text)/7]
		var r reader
		used, whole, verdict := r.next(c, stream.text)
		if !whole || verdict != none || string(c.known) != string(stream.text[:used]) {
			t.Fatalf("%s: %v %v, known %q, first %q", name, whole, verdict, c.known, first)
		}
		if allocations := testing.AllocsPerRun(100, func() { r.next(c, stream.text) }); allocations != 0 {
			t.Errorf("%s: %v allocations", name, allocations)
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	for name, stream := range streams(t) {
		c := newChecker(stream.protocol, "ok")
		before := string(stream.text)
		var r reader
		if allocations := testing.AllocsPerRun(100, func() { r.read(c, stream.text) }); allocations != 0 {
			t.Errorf("%s: %v allocations", name, allocations)
		}
		if string(stream.text) != before {
			t.Errorf("%s: the bytes were changed", name)
		}
	}
}

func TestLastReplyIsNotKnown(t *testing.T) {
	c := newChecker(http{}, "ok")
	var r reader
	if _, whole, verdict := r.next(c, []byte("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")); !whole || verdict != none || !r.last || len(c.known) > 0 {
		t.Errorf("%v %v last %v known %q", whole, verdict, r.last, c.known)
	}
}

func TestGarbageEndsTheConnection(t *testing.T) {
	endless := "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 3*maxHead)
	for name, text := range map[string]string{"noise": "\x00\x01\x02", "endless head": endless, "late noise": httpReply(200, "ok") + "HTTQ"} {
		for _, size := range []int{1, 7, len(text)} {
			c := newChecker(http{}, "ok")
			got := verdicts(c, slices.Collect(slices.Chunk([]byte(text), size))...)
			if len(got) == 0 || got[len(got)-1] != badReply || c.complaint == nil {
				t.Errorf("%s in parts of %d gave %v, %v", name, size, got, c.complaint)
			}
		}
	}
}

func TestHeadsAreBounded(t *testing.T) {
	c := newChecker(http{}, "ok")
	var r reader
	for range 4 * maxHead {
		if _, whole, _ := r.next(c, []byte("H"[:1])); whole {
			break
		}
	}
	r = reader{}
	r.next(c, []byte("HTTP/1.1 200 OK\r\nA: "))
	for range 4 * maxHead {
		if _, whole, verdict := r.next(c, []byte("x")); whole {
			if verdict != badReply || cap(r.pending) > 2*maxHead {
				t.Fatalf("verdict %v with %d bytes held", verdict, cap(r.pending))
			}
			return
		}
	}
	t.Fatal("an endless head was taken")
}

func TestLongBodyIsComparedAsItArrives(t *testing.T) {
	body := strings.Repeat("0123456789", 20000)
	for _, protocol := range []protocol{http{}, zap{}} {
		text := []byte(httpReply(200, body))
		if protocol == (zap{}) {
			text = zapReply(t, wire.Response{Status: 200, Body: []byte(body)})
		}
		c := newChecker(protocol, body)
		if got := verdicts(c, slices.Collect(slices.Chunk(text, 1000))...); !slices.Equal(got, []failure{none}) || len(c.known) > 0 {
			t.Errorf("%T: %v, %d bytes known", protocol, got, len(c.known))
		}
		text[len(text)-1]++
		if got := verdicts(c, slices.Collect(slices.Chunk(text, 1000))...); !slices.Equal(got, []failure{wrongBody}) {
			t.Errorf("%T changed: %v", protocol, got)
		}
	}
}

// FuzzSplit checks that what a reader says does not depend on how the bytes
// arrive, whatever they are.
func FuzzSplit(f *testing.F) {
	for _, stream := range streams(f) {
		f.Add(stream.text, uint16(7), stream.protocol == zap{})
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint16, overZAP bool) {
		protocol := protocol(http{})
		if overZAP {
			protocol = zap{}
		}
		whole := verdicts(newChecker(protocol, "ok"), text)
		parts := verdicts(newChecker(protocol, "ok"), slices.Collect(slices.Chunk(text, int(size)+1))...)
		if !slices.Equal(whole, parts) {
			t.Fatalf("whole %v, in parts of %d %v", whole, int(size)+1, parts)
		}
	})
}
