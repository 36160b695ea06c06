// Package record holds typed records in the binary format ZAP, with encoders
// and decoders generated from a schema.
//
// A decoder checks the header and every offset and length; what it gives are
// views into the message. An encoder appends to the caller's buffer. Neither
// allocates, but for an error and for a buffer that is too short. Text is
// taken as it comes: that it is UTF-8 is not checked, as in the published code.
package record

//go:generate go run nullius/zap/record/generate -package record -o balance.go balance.zap
