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

// word gives a text of up to eight bytes as one word, filled up with bytes that
// are in it already or with '0'. It reads no byte outside the text.
func word(text []byte) uint64 {
	n := len(text)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(text[n-8:])
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(text)) | uint64(binary.LittleEndian.Uint32(text[n-4:]))<<32
	}
	x := uint64('0' * ones)
	for _, c := range text {
		x = x<<8 | uint64(c)
	}
	return x
}

// below reports whether a text has a byte below bound, or DEL.
func below(text []byte, bound uint64) bool {
	rest := text
	for len(rest) > 8 {
		if controls(binary.LittleEndian.Uint64(rest), bound) != 0 {
			return true
		}
		rest = rest[8:]
	}
	if len(text) > 8 {
		rest = text[len(text)-8:]
	}
	return controls(word(rest), bound) != 0
}

// visible reports whether a text is free of control characters and spaces.
func visible(text []byte) bool { return !below(text, ' '+1) }

// method, protocol and phrase are visible, visible and printable for texts that
// are nearly always one of a few, which to compare costs a fraction of a call.
func method(text []byte) bool {
	return string(text) == "GET" || string(text) == "POST" || visible(text)
}

func protocol(text []byte) bool { return string(text) == "HTTP/1.1" || visible(text) }

func phrase(text []byte) bool { return string(text) == "OK" || printable(text) }

// printable reports whether a text is free of control characters but tabs.
func printable(text []byte) bool { return !below(text, ' ') || onlyTabs(text) }

// onlyTabs reports whether the only control characters of a text are tabs.
func onlyTabs(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
