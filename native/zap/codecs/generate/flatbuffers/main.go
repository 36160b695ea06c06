// Flatbuffers builds flatc, once, from the C++ sources that the pinned FlatBuffers
// module carries, and runs it.
//
//	flatbuffers SCHEMA.fbs FOLDER
//
// The compiler is CXX, else the zig that `make setup` brings, else c++. The built
// flatc stays in the user's cache folder under the module's version.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/google/flatbuffers"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: flatbuffers SCHEMA.fbs FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "flatbuffers: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func generate(schema, folder string) error {
	flatc, err := build()
	if err != nil {
		return err
	}
	// The schema's namespace is the folder's name, which flatc makes.
	if err := run(flatc, "--go", "-o", filepath.Dir(filepath.Clean(folder)), schema); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	return run("gofmt", append([]string{"-w"}, files...)...)
}

// build gives the path of flatc.
func build() (string, error) {
	output, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Version}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	source, version, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	flatc := filepath.Join(cache, "nullius", "flatc-"+version)
	if _, err := os.Stat(flatc); err == nil {
		return flatc, nil
	}
	if err := os.MkdirAll(filepath.Dir(flatc), 0o755); err != nil {
		return "", err
	}
	sources, err := sourcesOf(source)
	if err != nil {
		return "", err
	}
	command := append(compiler(), "-std=c++17", "-O1", "-I"+source+"/include", "-I"+source+"/grpc", "-I"+source, "-o", flatc+".new")
	command = append(command, sources...)
	if err := run(command[0], command[1:]...); err != nil {
		return "", err
	}
	return flatc, os.Rename(flatc+".new", flatc)
}

// sourcesOf gives the C++ files of flatc: all but another program's, flathash.
func sourcesOf(source string) ([]string, error) {
	own, err := filepath.Glob(source + "/src/*.cpp")
	if err != nil {
		return nil, err
	}
	generators, err := filepath.Glob(source + "/grpc/src/compiler/*.cc")
	if err != nil {
		return nil, err
	}
	generators = append(generators, filepath.Join(source, "include", "codegen", "python.cc"))
	own = slices.DeleteFunc(own, func(f string) bool { return filepath.Base(f) == "flathash.cpp" })
	return append(own, generators...), nil
}

// compiler gives the C++ compiler's command.
func compiler() []string {
	if cxx := strings.Fields(os.Getenv("CXX")); len(cxx) > 0 {
		return cxx
	}
	for _, zig := range []string{"zig", "../../../.cache/bin/zig"} {
		if path, err := exec.LookPath(zig); err == nil {
			return []string{path, "c++"}
		}
	}
	return []string{"c++"}
}

func run(name string, arguments ...string) error {
	command := exec.Command(name, arguments...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}
