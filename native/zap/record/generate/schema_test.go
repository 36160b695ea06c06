package main

import (
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse("a.zap", []byte("// c\nmessage A { id uint64; blockHash bytes; } message B{name text;}"))
	want := []Message{
		{"A", []Field{{"id", "uint64", 0}, {"blockHash", "bytes", 8}}},
		{"B", []Field{{"name", "text", 0}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v: got %v, want %v", err, got, want)
	}
	if a := got[0]; a.Fixed() != 16 || len(a.Slots()) != 1 || a.Fields[0].GoName() != "ID" || a.Fields[1].GoName() != "BlockHash" {
		t.Errorf("%d bytes, %v", a.Fixed(), a.Slots())
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                         "a.zap: the schema holds no message",
		"record A {}":                              "a.zap:1:1: expected message",
		"message a { id uint64; }":                 "a.zap:1:9: message a does not start with a capital",
		"message A { }":                            "a.zap:1:13: message A has no fields",
		"message A { Id uint64; }":                 "a.zap:1:13: field Id does not start with a small letter",
		"message A { id int; }":                    "a.zap:1:16: type int is not uint64, text or bytes",
		"message A { id uint64 }":                  "a.zap:1:23: expected \";\", found \"}\"",
		"message A {\n id uint64;\n id text; }":    "a.zap:3:2: field id is there twice",
		"message A { i_d uint64; }":                "a.zap:1:13: the name i_d holds more than ASCII letters and digits",
		"message A {id text;} message A {i text;}": "a.zap:1:40: message A is there twice",
		"message A { id uint64;":                   "a.zap:1:23: expected a word, found EOF",
		"message A {id text;} \xff":                "a.zap:1:22: invalid UTF-8 encoding",
	} {
		_, err := Parse("a.zap", []byte(text))
		if err == nil {
			t.Errorf("%q was taken", text)
		} else if err.Error() != want {
			t.Errorf("%q: got %q, want %q", text, err, want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	if err := run("record", "", nil); err == nil || err.Error() != "name one schema, not 0" {
		t.Errorf("%v", err)
	}
	if err := run("record", "", []string{"none.zap"}); err == nil {
		t.Error("a schema that is not there was taken")
	}
}
