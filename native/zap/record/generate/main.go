// Command generate writes the Go code of typed records from a schema:
//
//	generate -package record -o balance.go balance.zap
//
// A schema is a list of messages, message Name { field type; ... }, whose
// types are uint64, text and bytes. Comments start with //.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	pkg := flag.String("package", "record", "name of the Go package")
	out := flag.String("o", "", "file to write, by default standard output")
	flag.Parse()
	if err := run(*pkg, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(2)
	}
}

func run(pkg, out string, schemas []string) error {
	if len(schemas) != 1 {
		return fmt.Errorf("name one schema, not %d", len(schemas))
	}
	text, err := os.ReadFile(schemas[0])
	if err != nil {
		return err
	}
	messages, err := Parse(schemas[0], text)
	if err != nil {
		return err
	}
	code, err := Emit(pkg, schemas[0], messages)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.Write(code)
		return err
	}
	return os.WriteFile(out, code, 0o644)
}
