package wire

import (
	"bytes"
	"unicode/utf8"
)

// Headers is the text of a headers or trailer slot: a JSON object of arrays of
// strings, {"Name":["value",...]}, names in ascending order of their bytes. A
// Cursor reads it.
type Headers []byte

// Header is a name with its values in their order.
type Header struct {
	Name   string
	Values []string
}

const (
	// MaxHeadersBytes is the longest text of headers that is read or written.
	MaxHeadersBytes = 64 << 10
	// MaxHeaderFields is how many names, and how many values in all, one
	// message may carry.
	MaxHeaderFields = 256
)

// AppendHeaders appends headers as compact JSON, byte for byte as encoding/json
// writes a map[string][]string: sorted by name, with <, >, &, U+2028 and
// U+2029 escaped. Equal names are written once, with the values of all; names
// without values are left out; without any nothing is appended. The order of h
// stays as it is. Names must be HTTP tokens and values UTF-8 without control
// characters other than tab. On an error, whose offset counts from where the
// text would have started, dst is given back as it was.
func AppendHeaders(dst []byte, h []Header) ([]byte, error) {
	before := len(dst)
	out := dst
	values, names, last := 0, 0, -1
	for {
		next := following(h, last)
		if next < 0 {
			break
		}
		last = next
		if names++; names > MaxHeaderFields {
			return dst, fault("headers", len(out)-before, TooMany)
		}
		name := h[next].Name
		if !token(name) {
			return dst, fault("header name", len(out)-before, BadCharacter)
		}
		out = append(out, separator(len(out) == before, '{'), '"')
		out = appendEscaped(out, name)
		out = append(out, '"', ':')
		first := true
		// Only entries of this name, in their order; the first stands at next.
		for i := next; i < len(h); i++ {
			if h[i].Name != name {
				continue
			}
			for _, value := range h[i].Values {
				if reason := valueFault(value); reason != "" {
					return dst, fault("header value", len(out)-before, reason)
				}
				if values++; values > MaxHeaderFields {
					return dst, fault("headers", len(out)-before, TooMany)
				}
				out = append(out, separator(first, '['), '"')
				out = appendEscaped(out, value)
				out = append(out, '"')
				first = false
			}
		}
		out = append(out, ']')
		if len(out)-before >= MaxHeadersBytes {
			return dst, fault("headers", len(out)-before, TooLong)
		}
	}
	if len(out) == before {
		return dst, nil
	}
	return append(out, '}'), nil
}

// following gives the index of the first entry with values whose name comes
// next after that of the entry last (-1 at the start), or -1. Sorted headers
// cost one step, others one pass for each name: nothing is allocated.
func following(h []Header, last int) int {
	best := -1
	for i := range h {
		if len(h[i].Values) == 0 || last >= 0 && h[i].Name <= h[last].Name {
			continue
		}
		if best < 0 || h[i].Name < h[best].Name {
			best = i
		}
	}
	return best
}

func separator(first bool, open byte) byte {
	if first {
		return open
	}
	return ','
}

// appendEscaped appends a checked text as the inside of a JSON string.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case class[c]&mustEscape == 0:
			continue
		case c == '"' || c == '\\':
			dst = append(append(dst, s[from:i]...), '\\', c)
		case c == '\t':
			dst = append(append(dst, s[from:i]...), '\\', 't')
		case c == lineSeparator[0]:
			if !(len(s) > i+2 && s[i+1] == lineSeparator[1] && s[i+2]&^1 == lineSeparator[2]) {
				continue
			}
			dst = append(append(dst, s[from:i]...), '\\', 'u', '2', '0', '2', hex[s[i+2]&15])
			i += 2
		default:
			dst = append(append(dst, s[from:i]...), '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		from = i + 1
	}
	return append(dst, s[from:]...)
}

// lineSeparator is U+2028; U+2029 differs in the last bit.
const lineSeparator = "\u2028"

// valueFault gives why a header's value cannot be sent, or "".
func valueFault(s string) Reason {
	ascii := true
	for i := 0; i < len(s); i++ {
		if class[s[i]]&control != 0 && s[i] != '\t' {
			return BadCharacter
		}
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if !ascii && !utf8.ValidString(s) {
		return BadUTF8
	}
	return ""
}

// token reports whether a name is a token of HTTP, RFC 9110 section 5.6.2.
func token[T string | []byte](name T) bool {
	for i := 0; i < len(name); i++ {
		if class[name[i]]&tokenCharacter == 0 {
			return false
		}
	}
	return len(name) != 0
}

// Classes of bytes.
const (
	control        = 1 << iota // C0 controls and DEL
	tokenCharacter             // may stand in a header's name
	mustEscape                 // is written escaped, or may start what is
	plain                      // stands for itself inside a JSON string: ASCII, no control, quote or backslash
)

var class = classes()

func classes() (table [256]uint8) {
	for c := range 256 {
		b := byte(c)
		if b < ' ' || b == 0x7f {
			table[c] |= control
		}
		if b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), b) >= 0 {
			table[c] |= tokenCharacter
		}
		if b == '\t' || bytes.IndexByte([]byte(`<>&"\`+lineSeparator[:1]), b) >= 0 {
			table[c] |= mustEscape
		}
		if b >= ' ' && b < 0x7f && b != '"' && b != '\\' {
			table[c] |= plain
		}
	}
	return table
}
