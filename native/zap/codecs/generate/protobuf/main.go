// Protobuf does what protoc does, in Go: it compiles a schema and gives it to
// code generators, which are the module's pinned tools.
//
//	protobuf SCHEMA.proto FOLDER GENERATOR[:PARAMETERS]...
//
// The schema is sought in the current folder; the generated files go into FOLDER.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: protobuf SCHEMA.proto FOLDER GENERATOR[:PARAMETERS]...")
		os.Exit(2)
	}
	for _, generator := range os.Args[3:] {
		if err := generate(os.Args[1], os.Args[2], generator); err != nil {
			fmt.Fprintf(os.Stderr, "protobuf: %s by %s: %v\n", os.Args[1], generator, err)
			os.Exit(1)
		}
	}
}

// generate runs one generator and writes what it gives.
func generate(schema, folder, generator string) error {
	tool, parameters, _ := strings.Cut(generator, ":")
	file, err := compile(schema)
	if err != nil {
		return err
	}
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{schema},
		Parameter:      &parameters,
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file},
	})
	if err != nil {
		return err
	}
	command := exec.Command("go", "tool", tool)
	command.Stdin, command.Stderr = bytes.NewReader(request), os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(output, response); err != nil {
		return err
	}
	if response.Error != nil {
		return errors.New(*response.Error)
	}
	for _, f := range response.File {
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(f.GetName())), []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compile gives the schema's descriptor with its comments. It may import nothing.
func compile(schema string) (*descriptorpb.FileDescriptorProto, error) {
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{}, SourceInfoMode: protocompile.SourceInfoStandard}
	files, err := compiler.Compile(context.Background(), schema)
	if err != nil {
		return nil, err
	}
	return protodesc.ToFileDescriptorProto(files[0]), nil
}
