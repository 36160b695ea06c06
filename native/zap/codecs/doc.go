// Package codecs carries one typed record, a balance asked for and told, by the
// codecs that are compared: three JSON libraries, Protocol Buffers by two
// generators, FlatBuffers and ZAP.
//
// Every codec is used as its documentation has it, and each operation declares
// its variables as a handler would: what escapes to the heap counts. JSON keeps
// account and hash as the hex text it carries and is never made to convert
// them, as a service that passes them on would; so nothing but the codec is
// in the comparison.
//
// FlatBuffers does not check what it reads: a hostile message makes its
// accessors panic. The others give an error.
package codecs

// The generators of Protocol Buffers are tools of this module, pinned by its
// go.mod; flatc is built from the sources that the FlatBuffers module carries, at
// the version that go.mod pins.

//go:generate go run ./generate/protobuf balance.proto balancepb protoc-gen-go:paths=source_relative protoc-gen-go-vtproto:paths=source_relative,features=marshal+size+unmarshal+unmarshal_unsafe
//go:generate go run ./generate/flatbuffers balance.fbs balancefb
