package wire

import "testing"

func BenchmarkDecodeRequest(b *testing.B) {
	message := load(b).bytes(b, "http", healthPrefixed)[PrefixBytes:]
	r := new(Request)
	for b.Loop() {
		if err := r.Decode(message); err != nil {
			b.Fatal(err)
		}
	}
}

// The headers of the same request, each of them looked at.
func BenchmarkCursor(b *testing.B) {
	r := health()
	scratch := make([]byte, 0, 256)
	c := new(Cursor)
	for b.Loop() {
		for c.Reset(r.Headers, scratch); c.Next(); {
		}
		if c.Err() != nil {
			b.Fatal(c.Err())
		}
	}
}

func BenchmarkAppendFramedResponse(b *testing.B) {
	r := ok()
	buffer := make([]byte, 0, 512)
	for b.Loop() {
		buffer, _ = AppendFramedResponse(buffer[:0], &r)
	}
}

func BenchmarkAppendHeaders(b *testing.B) {
	h := []Header{{"Content-Type", []string{"text/plain; charset=utf-8"}}}
	buffer := make([]byte, 0, 512)
	for b.Loop() {
		buffer, _ = AppendHeaders(buffer[:0], h)
	}
}
