package pooled

import "sync"

// The sizes of buffers: 4 KiB, then four times as much with each class and a
// KiB more, so that a body of a round size has room for what goes before it.
const (
	firstBytes = 4 << 10
	slackBytes = 1 << 10
	classes    = 8 // the last takes the longest frame: 64 MiB
)

func classBytes(class int) int {
	if class == 0 {
		return firstBytes
	}
	return firstBytes<<(2*class) + slackBytes
}

// buffer is memory of one class. It is passed by pointer, so that giving it
// back to its pool does not allocate.
type buffer struct {
	bytes []byte
	class int
}

// firstOutBytes is the length of a connection's own write buffer: room for
// sixteen short responses, and a size that the allocator has.
const firstOutBytes = 2688

// buffers has a pool for each class. A connection's first read buffer is its
// own and in none.
var buffers [classes]sync.Pool

// takeBuffer gives a buffer of a class, with any content.
func takeBuffer(class int) *buffer {
	if b, _ := buffers[class].Get().(*buffer); b != nil {
		return b
	}
	return &buffer{bytes: make([]byte, classBytes(class)), class: class}
}

// giveBack returns a buffer to its pool, from where the collector may take it.
func (b *buffer) giveBack() { buffers[b.class].Put(b) }
