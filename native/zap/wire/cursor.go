package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Cursor walks through headers, one value at a step:
//
//	var c wire.Cursor
//	for c.Reset(request.Headers, scratch); c.Next(); {
//		use(c.Name, c.Value)
//	}
//	err := c.Err()
//
// Every value is given once; a name without values is passed over. Name and
// Value are views into the headers or, where something was escaped, into the
// scratch, and stay good as long as both. White space between the parts is
// allowed; what HTTP does not allow in names and values is an error, and so are
// names that are not in ascending order of their bytes or come twice.
type Cursor struct {
	Name, Value []byte

	text    []byte
	scratch []byte
	err     error
	at      int
	names   int
	values  int
	state   state
}

// state is what the cursor has just passed.
type state uint8

const (
	nothing state = iota
	arrayStart
	value
	arrayEnd
	objectEnd
)

// Reset puts the cursor before the first value of h. With a scratch of
// capacity len(h) or more nothing is ever allocated but an *Error; the
// scratch's content is overwritten.
func (c *Cursor) Reset(h Headers, scratch []byte) {
	*c = Cursor{text: h, scratch: scratch[:0]}
	if len(h) == 0 {
		c.state = objectEnd
	}
	if len(h) > MaxHeadersBytes {
		c.fail("headers", MaxHeadersBytes, TooLong)
	}
}

// Err gives why Next stopped: nil at the end of the headers. Offsets count
// from the start of the headers.
func (c *Cursor) Err() error { return c.err }

// Check reads all headers and gives what is wrong with them, or nil.
func (h Headers) Check() error {
	var c Cursor
	c.Reset(h, nil)
	for c.Next() {
	}
	return c.err
}

// Next steps to the next value and reports whether there is one.
func (c *Cursor) Next() bool {
	for {
		mark := c.mark()
		switch {
		case c.state == value && mark == ',', c.state == arrayStart && mark == '"':
			if mark == ',' && c.mark() != '"' {
				return c.fail("headers", c.at, BadJSON)
			}
			return c.readValue()
		case c.state == value && mark == ']', c.state == arrayStart && mark == ']':
			c.state = arrayEnd
		case c.state == arrayEnd && mark == ',', c.state == nothing && mark == '{':
			next := c.mark()
			if next == '}' && mark == '{' {
				c.state = objectEnd
				continue
			}
			if next != '"' || !c.readName() {
				return c.fail("headers", c.at, BadJSON)
			}
		case c.state == arrayEnd && mark == '}':
			c.state = objectEnd
		case c.state == objectEnd && mark == 0 && c.at == len(c.text):
			return false
		default:
			return c.fail("headers", c.at, BadJSON)
		}
	}
}

// fail keeps the first error and ends the walk.
//
//go:noinline
func (c *Cursor) fail(field string, offset int, reason Reason) bool {
	if c.err == nil {
		c.err = fault(field, min(offset, len(c.text)), reason)
	}
	// From here every Next comes back with this error.
	c.text, c.at, c.state = c.text[:0], 0, nothing
	return false
}

// mark passes white space and the byte after it, and gives that byte, or 0 at
// the end.
func (c *Cursor) mark() byte {
	if c.at < len(c.text) && c.text[c.at] > ' ' {
		c.at++
		return c.text[c.at-1]
	}
	return c.markAfterSpace()
}

func (c *Cursor) markAfterSpace() byte {
	for ; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\r', '\n':
		default:
			c.at++
			return max(b, 1) // a NUL is not the end
		}
	}
	return 0
}

// readName reads a name after its opening quote, up to and with the bracket
// that opens its values.
func (c *Cursor) readName() bool {
	begin, previous := c.at, c.Name
	for c.at < len(c.text) && class[c.text[c.at]]&tokenCharacter != 0 {
		c.at++
	}
	if c.at < len(c.text) && c.text[c.at] == '"' && c.at > begin {
		c.Name = c.text[begin:c.at:c.at]
		c.at++
	} else {
		var ok bool
		if c.Name, ok = c.unescape(begin, "header name"); !ok {
			return false
		}
		if !token(c.Name) {
			return c.fail("header name", begin, BadCharacter)
		}
	}
	if c.names++; c.names > MaxHeaderFields {
		return c.fail("headers", begin, TooMany)
	}
	if c.names > 1 && bytes.Compare(previous, c.Name) >= 0 {
		return c.fail("header name", begin, Unsorted)
	}
	c.state = arrayStart
	return c.mark() == ':' && c.mark() == '['
}

// readValue reads a value after its opening quote.
func (c *Cursor) readValue() bool {
	c.state = value
	begin := c.at
	if c.values++; c.values > MaxHeaderFields {
		return c.fail("headers", begin, TooMany)
	}
	// Eight bytes at a step up to the first that does not stand for itself.
	at := begin
	for ; at+8 <= len(c.text); at += 8 {
		x := binary.LittleEndian.Uint64(c.text[at:])
		quote, backslash := x^'"'*ones, x^'\\'*ones
		special := controls(x, ' ') | (x|(quote-ones)&^quote|(backslash-ones)&^backslash)&highs
		if special != 0 {
			// A borrow spoils only the marks after the first.
			at += bits.TrailingZeros64(special) / 8
			break
		}
	}
	for at < len(c.text) && class[c.text[at]]&plain != 0 {
		at++
	}
	if at < len(c.text) && c.text[at] == '"' {
		c.Value = c.text[begin:at:at]
		c.at = at + 1
		return true
	}
	var ok bool
	c.Value, ok = c.unescape(begin, "header value")
	return ok
}

// unescape reads any string that starts at begin, after its opening quote. It
// gives a view, or a copy in the scratch if something in it is escaped.
func (c *Cursor) unescape(begin int, field string) (text []byte, ok bool) {
	kept, from := len(c.scratch), begin // what stands between from and i is not yet copied
	for i := begin; i < len(c.text); i++ {
		switch b := c.text[i]; {
		case b == '"':
			c.at = i + 1
			if text = c.text[from:i:i]; from != begin {
				c.scratch = append(c.scratch, text...)
				text = c.scratch[kept:len(c.scratch):len(c.scratch)]
			}
			if !utf8.Valid(text) {
				return nil, c.fail(field, begin, BadUTF8)
			}
			return text, true
		case b == '\\':
			r, n := escape(c.text[i:])
			if n == 0 {
				return nil, c.fail(field, i, BadEscape)
			}
			if r < ' ' && r != '\t' || r == 0x7f {
				return nil, c.fail(field, i, BadCharacter)
			}
			c.scratch = utf8.AppendRune(append(c.scratch, c.text[from:i]...), r)
			i += n - 1
			from = i + 1
		case b < ' ' || b == 0x7f:
			return nil, c.fail(field, i, BadCharacter)
		}
	}
	return nil, c.fail(field, len(c.text), Truncated)
}

// escape reads the JSON escape that b starts with, two of them for a surrogate
// pair. n is its length, 0 if it is none.
func escape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		high, ok := unit(b)
		if !ok || !utf16.IsSurrogate(high) {
			return high, 6 * truth(ok)
		}
		low, ok := unit(b[6:])
		r = utf16.DecodeRune(high, low)
		return r, 12 * truth(ok && r != utf8.RuneError)
	}
	return 0, 0
}

// unit reads one escaped UTF-16 code unit, \uXXXX.
func unit(b []byte) (u rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			u = u<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			u = u<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return u, true
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
