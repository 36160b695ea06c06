package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The committed code is what the generator makes of the committed schema.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	out := filepath.Join(t.TempDir(), "balance.go")
	if err := run("record", out, []string{"../balance.zap"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../balance.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("record/balance.go is not what record/balance.zap gives: run go generate ./record")
	}
}

// A record without slots has neither tail nor limit.
func TestEmitWithoutSlots(t *testing.T) {
	code, err := Emit("record", "two.zap", []Message{{Name: "Two", Fields: []Field{{"id", "uint64", 0}, {"n", "uint64", 8}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"tail :=", "slot :=", "TooLong"} {
		if strings.Contains(string(code), absent) {
			t.Errorf("the code speaks of %s:\n%s", absent, code)
		}
	}
	for _, present := range []string{"r.N = binary.LittleEndian.Uint64(fixed[8:])", "PutUint64(fixed[24:], r.N)", "total-32 >"} {
		if !strings.Contains(string(code), present) {
			t.Errorf("the code lacks %s:\n%s", present, code)
		}
	}
}
