package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/scanner"
	"unicode"
)

// Message is a record of the schema.
type Message struct {
	Name   string // as in Go: it starts with a capital
	Fields []Field
}

// Field is one field of a record; the n-th stands at byte 8n of the fixed
// section.
type Field struct {
	Name   string // as in the schema
	Type   string // "uint64", "text" or "bytes"
	Offset int    // bytes from the start of the fixed section
}

const fieldBytes = 8

// Fixed is the length of the message's fixed section in bytes.
func (m Message) Fixed() int { return fieldBytes * len(m.Fields) }

// Slots gives the fields of variable length, in order.
func (m Message) Slots() (slots []Field) {
	for _, f := range m.Fields {
		if f.Slot() {
			slots = append(slots, f)
		}
	}
	return slots
}

// Slot reports whether the field's content stands in the tail.
func (f Field) Slot() bool { return f.Type != "uint64" }

// GoName is the field's name in Go: blockHash is BlockHash, id is ID.
func (f Field) GoName() string {
	if f.Name == "id" {
		return "ID"
	}
	return strings.ToUpper(f.Name[:1]) + f.Name[1:]
}

// Parse reads a schema. Its errors say file, line and column.
func Parse(file string, text []byte) (messages []Message, err error) {
	p := parser{}
	p.Init(bytes.NewReader(text))
	p.Filename = file
	p.Mode = scanner.ScanIdents | scanner.ScanComments | scanner.SkipComments
	p.where.Filename = file
	p.Error = func(s *scanner.Scanner, message string) {
		p.where = s.Pos()
		p.fail(message)
	}
	defer func() {
		if syntax, ok := recover().(syntaxError); ok {
			messages, err = nil, syntax
		}
	}()
	seen := map[string]bool{}
	for p.next(); p.token != scanner.EOF; {
		p.keyword("message")
		m := p.message()
		if seen[m.Name] {
			p.fail("message " + m.Name + " is there twice")
		}
		seen[m.Name] = true
		messages = append(messages, m)
	}
	if len(messages) == 0 {
		p.fail("the schema holds no message")
	}
	return messages, nil
}

// syntaxError unwinds the parser; Parse gives it as an error.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

type parser struct {
	scanner.Scanner
	token rune             // the next one
	where scanner.Position // of the one that was asked for last
}

func (p *parser) next() { p.token = p.Scan() }

func (p *parser) fail(message string) {
	panic(syntaxError(fmt.Sprintf("%s: %s", p.where, message)))
}

func (p *parser) keyword(word string) {
	if p.identifier() != word {
		p.fail("expected " + word)
	}
}

func (p *parser) identifier() string {
	p.where = p.Position
	if p.token != scanner.Ident {
		p.fail("expected a word, found " + scanner.TokenString(p.token))
	}
	text := p.TokenText()
	if i := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII || r == '_' }); i >= 0 {
		p.fail("the name " + text + " holds more than ASCII letters and digits")
	}
	p.next()
	return text
}

func (p *parser) mark(r rune) {
	p.where = p.Position
	if p.token != r {
		p.fail("expected " + scanner.TokenString(r) + ", found " + scanner.TokenString(p.token))
	}
	p.next()
}

func (p *parser) message() Message {
	m := Message{Name: p.identifier()}
	if !unicode.IsUpper(rune(m.Name[0])) {
		p.fail("message " + m.Name + " does not start with a capital")
	}
	p.mark('{')
	seen := map[string]bool{}
	for p.token != '}' {
		f := Field{Name: p.identifier(), Offset: fieldBytes * len(m.Fields)}
		if !unicode.IsLower(rune(f.Name[0])) {
			p.fail("field " + f.Name + " does not start with a small letter")
		}
		if seen[f.Name] {
			p.fail("field " + f.Name + " is there twice")
		}
		seen[f.Name] = true
		f.Type = p.identifier()
		if f.Type != "uint64" && f.Type != "text" && f.Type != "bytes" {
			p.fail("type " + f.Type + " is not uint64, text or bytes")
		}
		p.mark(';')
		m.Fields = append(m.Fields, f)
	}
	p.mark('}')
	if len(m.Fields) == 0 {
		p.fail("message " + m.Name + " has no fields")
	}
	return m
}
