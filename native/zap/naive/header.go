package naive

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Header is names with their values.
type Header map[string][]string

// add copies a name and a value into the map.
func (h Header) add(name, value []byte) {
	h[string(name)] = append(h[string(name)], string(value))
}

const (
	maxHeaderBytes = 64 << 10
	maxHeaders     = 256 // names, and values in all
)

var (
	errJSON      = errors.New("not a JSON object of arrays of strings")
	errCharacter = errors.New("a character that HTTP does not allow")
	errMany      = errors.New("too many or too long")
	errOrder     = errors.New("the names are not in order")
	errText      = errors.New("not UTF-8, or half of a surrogate pair")
)

// parser walks through the JSON text of headers.
type parser struct {
	text  []byte
	at    int
	names int
	total int // values
	err   error
}

// parseHeader reads headers.
func parseHeader(text []byte) (Header, error) {
	if len(text) > maxHeaderBytes {
		return nil, errMany
	}
	p := parser{text: text}
	h := make(Header)
	p.object(h)
	if p.space(); p.err == nil && p.at != len(text) {
		p.err = errJSON
	}
	return h, p.err
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take passes the byte b, after white space, and reports whether it was there.
func (p *parser) take(b byte) bool {
	p.space()
	if p.err != nil || p.at >= len(p.text) || p.text[p.at] != b {
		return false
	}
	p.at++
	return true
}

// expect is take where nothing else may stand.
func (p *parser) expect(b byte) {
	if !p.take(b) {
		p.fail(errJSON)
	}
}

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *parser) object(h Header) {
	p.expect('{')
	if p.take('}') {
		return
	}
	var previous []byte
	for p.err == nil {
		name := p.string()
		if !isToken(name) {
			p.fail(errCharacter)
		}
		if p.names++; p.names > maxHeaders {
			p.fail(errMany)
		}
		if p.names > 1 && string(name) <= string(previous) {
			p.fail(errOrder)
		}
		previous = name
		p.expect(':')
		p.array(h, name)
		if !p.take(',') {
			p.expect('}')
			return
		}
	}
}

func (p *parser) array(h Header, name []byte) {
	p.expect('[')
	if p.take(']') {
		return
	}
	for p.err == nil {
		value := p.string()
		if p.total++; p.total > maxHeaders {
			p.fail(errMany)
		}
		if p.err == nil {
			h.add(name, value)
		}
		if !p.take(',') {
			p.expect(']')
			return
		}
	}
}

// string gives a JSON string without quotes and escapes: a view where nothing
// is escaped.
func (p *parser) string() []byte {
	p.expect('"')
	from := p.at
	for p.err == nil && p.at < len(p.text) {
		switch b := p.text[p.at]; {
		case b == '"':
			text := p.text[from:p.at]
			p.at++
			if bytes.IndexByte(text, '\\') >= 0 {
				text = p.unescape(text)
			}
			if !utf8.Valid(text) {
				p.fail(errText)
			}
			return text
		case b == '\\':
			p.at += 2
		case b < ' ' || b == 0x7f:
			p.fail(errCharacter)
		default:
			p.at++
		}
	}
	p.fail(errJSON)
	return nil
}

// unescape gives a copy of the inside of a JSON string with its escapes
// replaced. No value may become a control character but a tab.
func (p *parser) unescape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 && p.err == nil {
		if text[0] != '\\' {
			out = append(out, text[0])
			text = text[1:]
			continue
		}
		const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		r, length := rune(0), 2
		if i := strings.IndexByte(from, text[1]); i >= 0 {
			r = rune(to[i])
		} else if r, length = codePoint(text); length == 0 {
			p.fail(errText)
			break
		}
		if r < ' ' && r != '\t' || r == 0x7f {
			p.fail(errCharacter)
		}
		out = utf8.AppendRune(out, r)
		text = text[length:]
	}
	return out
}

// codePoint reads \uXXXX, or two of them for a surrogate pair, and gives the
// length, 0 if it is neither.
func codePoint(text []byte) (r rune, length int) {
	first, ok := hex4(text)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(first):
		return first, 6
	}
	second, ok := hex4(text[6:])
	if r = utf16.DecodeRune(first, second); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

func hex4(text []byte) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, b := range text[2:6] {
		i := strings.IndexByte("0123456789abcdef", b|0x20)
		if i < 0 || b < '0' {
			return 0, false
		}
		r = r<<4 + rune(i)
	}
	return r, true
}

// isToken reports whether a name is a token of HTTP, RFC 9110 section 5.6.2.
func isToken(name []byte) bool {
	for _, b := range name {
		letter := b|0x20 >= 'a' && b|0x20 <= 'z'
		digit := b >= '0' && b <= '9'
		if !letter && !digit && strings.IndexByte("!#$%&'*+-.^_`|~", b) < 0 {
			return false
		}
	}
	return len(name) > 0
}
