package codecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Codec is one way to carry the record. It is made with its records ready in
// the codec's own form. It may keep buffers between calls: it serves one
// goroutine, and what it appended or returned holds until its next call.
type Codec interface {
	// EncodeRequest gives the wire form of record i's request. A codec whose
	// usual call takes the caller's buffer appends to dst, the others return
	// their own bytes.
	EncodeRequest(dst []byte, i int) ([]byte, error)
	// EncodeResponse is the same for the response.
	EncodeResponse(dst []byte, i int) ([]byte, error)
	// DecodeRequest decodes into the codec's own form and reads every field
	// of it, for whose sum see sumRequest.
	DecodeRequest(wire []byte) (uint64, error)
	// DecodeResponse is the same for a response.
	DecodeResponse(wire []byte) (uint64, error)
	// Handle decodes a request, looks the account up and encodes the response.
	Handle(dst, wire []byte) ([]byte, error)
	// Request decodes a request to plain values.
	Request(wire []byte) (Request, error)
	// Response decodes a response to plain values.
	Response(wire []byte) (Response, error)
	// Path says what it is, with the versions of Go and the library.
	Path() string
}

// makers holds every codec that this program was built with, by name.
var makers = map[string]func([]Record) Codec{}

// Names gives the names that New takes, sorted.
func Names() []string {
	var names []string
	for name := range makers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New makes a codec by its name, with a ledger that answers the records. There
// may be at most 128, and there must be one.
func New(name string, records []Record) (Codec, error) {
	make, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("codecs: there is no codec %q, only %s", name, strings.Join(Names(), ", "))
	}
	if len(records) == 0 {
		return nil, errors.New("codecs: no records")
	}
	return make(records), nil
}

// text is bytes or a string.
type text interface{ ~[]byte | ~string }

// sumRequest reads all fields of a request, as a use of it would, so that no
// codec that decodes lazily or a clever compiler can leave any out.
func sumRequest[T, U text](id, block uint64, method T, account U) uint64 {
	return id + block + last(method) + last(account)
}

// sumResponse reads all fields of a response.
func sumResponse[T text](id, balance, nonce uint64, hash T) uint64 {
	return id + balance + nonce + last(hash)
}

// last is the length and the last byte.
func last[T text](t T) uint64 {
	if len(t) == 0 {
		return 0
	}
	return uint64(len(t)) + uint64(t[len(t)-1])
}
