// Package wire reads and writes HTTP requests and responses in the binary
// format ZAP, byte for byte as the format was published.
//
// A message is one run of bytes, little-endian throughout:
//
//	 0  magic "ZAP\0"
//	 4  u16 version, 1 (readers take 1 and 2)
//	 6  u16 flags, the message's type in the high byte, zero in the low
//	 8  u32 root, where the fixed section starts (16 as written here)
//	12  u32 total size of the message in bytes
//	    the fixed section, then the tail
//
// A slot of the fixed section is {u32 offset, u32 length}; the offset counts
// from the slot's own position, and an empty slot is eight zero bytes.
//
//	request   method 0, target 8, proto 16, headers 24, body 32, trailer 40
//	response  u16 status 0, reason 8, proto 16, headers 24, body 32, trailer 40
//	data, end one slot
//
// On a connection every message follows a big-endian u32 with its length.
//
// Encoders append to the caller's buffer and allocate only when it is too
// short. Decoders give views into the message and allocate only for an error.
// Decoders are strict where leniency would let two readers see two requests:
// the total size must be what arrived, slots must lie after the fixed section,
// in field order, without overlap (gaps are allowed, so that a later version
// may lengthen the fixed section), bytes that mean nothing must be zero. So
// all the views together are never larger than the message.
package wire
