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
	value
	objectEnd
	failure
)

const (
	// nameEnd and textEnd are what follows a name, and the last value, in
	// compact JSON: looking for them whole spares a look at each byte.
	nameEnd = '"' | ':'<<8 | '['<<16 | '"'<<24
	textEnd = `"]}`
)

// Reset puts the cursor before the first value of h. With a scratch of
// capacity len(h) or more nothing is ever allocated but an *Error; the
// scratch's content is overwritten.
func (c *Cursor) Reset(h Headers, scratch []byte) {
	c.text, c.scratch, c.err = h, scratch[:0], nil
	c.at, c.names, c.values, c.state = 0, 0, 0, nothing
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
	var mark byte
	switch c.state {
	case value:
		switch c.mark() {
		case ',':
			return c.mark() == '"' && c.readValue() || c.malformed()
		case ']':
			mark = c.mark()
		default:
			return c.malformed()
		}
	case nothing:
		if c.mark() != '{' {
			return c.malformed()
		}
		// The first name is read as if a comma stood before it.
		if mark = ','; c.peek() == '}' {
			mark = c.mark()
		}
	default:
		return false
	}
	for mark == ',' {
		if c.mark() != '"' || !c.readName() {
			return c.malformed()
		}
		switch c.mark() {
		case '"':
			return c.readValue()
		case ']':
			mark = c.mark()
		default:
			return c.malformed()
		}
	}
	if mark != '}' || c.mark() != 0 {
		return c.malformed()
	}
	c.state = objectEnd
	return false
}

// malformed fails for what is at the cursor, unless it has failed already.
func (c *Cursor) malformed() bool { return c.fail("headers", c.at, BadJSON) }

// fail keeps the first error and ends the walk.
//
//go:noinline
func (c *Cursor) fail(field string, offset int, reason Reason) bool {
	if c.err == nil {
		c.err = fault(field, offset, reason)
	}
	c.state = failure
	return false
}

// peek gives the byte after white space, or 0 at the end.
func (c *Cursor) peek() byte {
	before := c.at
	mark := c.mark()
	c.at = before
	return mark
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
	text, at := c.text, begin
	for at < len(text) && class[text[at]]&tokenCharacter != 0 {
		at++
	}
	if at < len(text) && text[at] == '"' && at > begin {
		c.Name = text[begin:at:at]
		c.at = at + 1
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
	if c.at+3 <= len(text) && binary.LittleEndian.Uint32(text[c.at-1:]) == nameEnd {
		c.at += 2
		return true
	}
	return c.mark() == ':' && c.mark() == '['
}

// readValue reads a value after its opening quote.
func (c *Cursor) readValue() bool {
	c.state = value
	begin := c.at
	if c.values++; c.values > MaxHeaderFields {
		return c.fail("headers", begin, TooMany)
	}
	text, at := c.text, begin
	// Eight bytes at a step up to the first that does not stand for itself.
	for ; at+8 <= len(text); at += 8 {
		x := binary.LittleEndian.Uint64(text[at:])
		quote, backslash := x^'"'*ones, x^'\\'*ones
		special := controls(x, ' ') | (x|(quote-ones)&^quote|(backslash-ones)&^backslash)&highs
		if special != 0 {
			// A borrow spoils only the marks after the first.
			at += bits.TrailingZeros64(special) / 8
			break
		}
	}
	for at < len(text) && class[text[at]]&plain != 0 {
		at++
	}
	if at < len(text) && text[at] == '"' {
		c.Value = text[begin:at:at]
		if c.at = at + 1; string(text[at:]) == textEnd {
			c.state = objectEnd
		}
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
