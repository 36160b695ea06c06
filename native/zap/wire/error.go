package wire

import "strconv"

// Reason is what is wrong with a message. It is an error itself, so that
// errors.Is(err, wire.PastEnd) asks for the kind of fault.
type Reason string

// Error gives the reason as a phrase.
func (r Reason) Error() string { return string(r) }

// The reasons for which a message is refused.
const (
	Truncated     Reason = "the message ends before it"
	BadMagic      Reason = "it is not 5a 41 50 00"
	BadVersion    Reason = "neither version 1 nor 2"
	BadType       Reason = "not the type of message asked for, or unknown flags"
	BadSize       Reason = "it differs from the number of bytes that arrived"
	BadRoot       Reason = "the fixed section would lie in the header or past the end"
	PastEnd       Reason = "it runs past the end of the message"
	Overlap       Reason = "it overlaps the fixed section or an earlier field"
	Missing       Reason = "it is empty"
	BadCharacter  Reason = "it holds a character that HTTP does not allow there"
	BadStatus     Reason = "not a status from 100 to 599"
	TooLong       Reason = "it is longer than the limit"
	ZeroLength    Reason = "it is zero"
	BadJSON       Reason = "not a JSON object of arrays of strings"
	BadEscape     Reason = "not a JSON escape, or half of a surrogate pair"
	BadUTF8       Reason = "not UTF-8"
	Unsorted      Reason = "names are not in ascending order, each once"
	TooMany       Reason = "there are more than the limit"
	TooDeep       Reason = "objects are nested deeper than the limit, or in a cycle"
	TooMuch       Reason = "more was visited than the message can honestly hold"
	OutOfSection  Reason = "it lies outside the fixed section"
	NullReference Reason = "it refers to nothing"
)

// Error says which field is wrong, where and why.
type Error struct {
	Field  string // "request target", "length prefix"
	Offset int    // bytes from the start of what was being read or written
	Reason Reason
}

// Error gives one sentence with field, offset and reason.
func (e *Error) Error() string {
	return "zap: " + e.Field + " at byte " + strconv.Itoa(e.Offset) + ": " + string(e.Reason)
}

// Unwrap gives the reason, for errors.Is.
func (e *Error) Unwrap() error { return e.Reason }

// fault is apart and never inlined, so that the paths that succeed stay small
// and do not allocate.
//
//go:noinline
func fault(field string, offset int, reason Reason) error {
	return &Error{Field: field, Offset: offset, Reason: reason}
}
