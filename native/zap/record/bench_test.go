package record

import "testing"

func BenchmarkDecodeRequest(b *testing.B) {
	message := golden(b, requestVector)
	q := new(BalanceRequest)
	for b.Loop() {
		if err := q.Decode(message); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendResponse(b *testing.B) {
	p := response()
	buffer := make([]byte, 0, 256)
	for b.Loop() {
		buffer, _ = p.Append(buffer[:0])
	}
}

func BenchmarkHandler(b *testing.B) {
	message := golden(b, requestVector)
	q, p := new(BalanceRequest), response()
	buffer := make([]byte, 0, 256)
	for b.Loop() {
		if err := q.Decode(message); err != nil {
			b.Fatal(err)
		}
		p.ID = q.ID
		buffer, _ = p.Append(buffer[:0])
	}
}

// The same bytes copied: what is the least that could be.
func BenchmarkCopy(b *testing.B) {
	message := golden(b, requestVector)
	buffer := make([]byte, 0, 256)
	for b.Loop() {
		buffer = append(buffer[:0], message...)
	}
}
