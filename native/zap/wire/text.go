package wire

import "encoding/binary"

// Eight bytes are looked at in one step: a byte below a bound borrows into
// its high bit when the bound is subtracted from each, and a byte equal to
// DEL does when it is first made zero. Only whether there is one matters, so
// borrows that run on into the next byte do no harm.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// controls is non-zero where a byte of x is below bound or is DEL.
func controls(x, bound uint64) uint64 {
	y := x ^ 0x7f*ones
	return ((x-bound*ones)&^x | (y-ones)&^y) & highs
}

// word gives the n bytes (at most 8) of b before end, filled up with '0'. The
// fields of a message start at byte 64 or later, so there are always 8 before
// end.
func word(b []byte, end, n uint64) uint64 {
	return binary.LittleEndian.Uint64(b[end-8:])>>(64-8*n) | ('0'*ones)<<(8*n)
}

// visible reports whether the n bytes of b before end are free of control
// characters and spaces. end is at least 8.
func visible(b []byte, end, n uint64) bool {
	for ; n > 8; n -= 8 {
		if controls(binary.LittleEndian.Uint64(b[end-n:]), 0x21) != 0 {
			return false
		}
	}
	return controls(word(b, end, n), 0x21) == 0
}

// printable reports whether the n bytes of b before end are free of control
// characters but tabs. end is at least 8.
func printable(b []byte, end, n uint64) bool {
	text := b[end-n : end]
	for ; n > 8; n -= 8 {
		if controls(binary.LittleEndian.Uint64(b[end-n:]), 0x20) != 0 {
			return onlyTabs(text)
		}
	}
	return controls(word(b, end, n), 0x20) == 0 || onlyTabs(text)
}

// onlyTabs reports whether the only control characters of a text are tabs.
func onlyTabs(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// allVisible is visible for a text that stands anywhere.
func allVisible(text []byte) bool {
	for _, c := range text {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}
