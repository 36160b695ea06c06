package load

import "testing"

// BenchmarkReply is a reply met again, and one that must be read.
func BenchmarkReply(b *testing.B) {
	for name, stream := range streams(b) {
		c := newChecker(stream.protocol, "ok")
		var r reader
		r.next(c, stream.text)
		reply := c.known
		b.Run(name+"/known", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.next(c, reply)
			}
		})
		b.Run(name+"/read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.read(c, reply)
			}
		})
	}
}
