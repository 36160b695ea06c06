package wire

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// vectors are the published bytes, by group and name.
type vectors map[string]map[string]string

func load(t testing.TB) vectors {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	all := vectors{}
	for group, content := range raw {
		named := map[string]string{}
		if json.Unmarshal(content, &named) == nil {
			all[group] = named
		}
	}
	return all
}

func (v vectors) bytes(t testing.TB, group, name string) []byte {
	text, ok := v[group][name]
	if !ok {
		t.Fatalf("vectors.json has no %s vector %q", group, name)
	}
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	healthPrefixed = "request GET /health, User-Agent bench, with prefix"
	healthBare     = "request GET /health, no headers"
	okResponse     = "response 200 ok, Content-Type text/plain; charset=utf-8"
	dataHi         = "stream data hi"
	streamEnd      = "stream end"
)
