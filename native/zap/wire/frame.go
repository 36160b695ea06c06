package wire

import (
	"encoding/binary"
	"io"
	"slices"
)

// PrefixBytes is the length of the prefix before a message on a connection.
const PrefixBytes = 4

// AppendPrefix appends the prefix of a message of n bytes, from 1 to
// MaxMessageBytes.
func AppendPrefix(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

// Length gives the length of the message that follows a prefix, at least 1 and
// at most limit; a limit of 0 or beyond MaxMessageBytes means MaxMessageBytes.
// It is what the peer claims: memory is to be had as the bytes arrive.
func Length(prefix []byte, limit int) (int, error) {
	if len(prefix) < PrefixBytes {
		return 0, fault("length prefix", len(prefix), Truncated)
	}
	if uint(limit)-1 >= MaxMessageBytes {
		limit = MaxMessageBytes
	}
	n := binary.BigEndian.Uint32(prefix)
	if n == 0 {
		return 0, fault("length prefix", 0, ZeroLength)
	}
	if uint64(n) > uint64(limit) {
		return 0, fault("length prefix", 0, TooLong)
	}
	return int(n), nil
}

// firstBytes is how much is made room for on a peer's word alone.
const firstBytes = 4 << 10

// ReadMessage reads a prefix and its message from r into dst's capacity and
// gives the message. Where the capacity does not do, it grows as bytes arrive,
// by doubling: never beyond twice what has arrived and firstBytes. It gives
// io.EOF when r ends before the prefix and io.ErrUnexpectedEOF when it ends
// within.
func ReadMessage(r io.Reader, dst []byte, limit int) ([]byte, error) {
	// The prefix is read into dst too: an array of its own would escape.
	dst = slices.Grow(dst[:0], PrefixBytes)[:PrefixBytes]
	if _, err := io.ReadFull(r, dst); err != nil {
		return dst[:0], err
	}
	n, err := Length(dst, limit)
	if err != nil {
		return dst[:0], err
	}
	dst = dst[:0]
	for len(dst) < n {
		room := min(n, max(cap(dst), firstBytes, 2*len(dst)))
		dst = slices.Grow(dst, room-len(dst))
		got, err := io.ReadFull(r, dst[len(dst):room])
		dst = dst[:len(dst)+got]
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}
