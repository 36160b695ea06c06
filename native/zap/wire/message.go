package wire

import "encoding/binary"

// Type is what a message carries.
type Type uint8

// The types of the HTTP mapping; TypeRecord is a message of no type, as typed
// records are.
const (
	TypeRecord       Type = 0
	TypeRequest      Type = 1
	TypeResponse     Type = 2
	TypeResponseHead Type = 3
	TypeData         Type = 4
	TypeEnd          Type = 5
)

const (
	// HeaderBytes is the length of a message's header.
	HeaderBytes = 16
	// MaxMessageBytes is the longest message that a connection carries.
	MaxMessageBytes = 64 << 20

	// RecordStart is the first eight bytes of a typed record's header: magic,
	// version 1, no flags. It is for generated code.
	RecordStart = 0x0000_0001_0050415a

	slotBytes  = 8
	fixedBytes = 48 // of a request and of a response

	// start is a header's first eight bytes as written: magic, version 1,
	// type 0. A type is added at typeShift.
	start     = RecordStart
	version2  = 0x0000_0002_0050415a
	typeShift = 56
)

// TypeOf gives the type of a message after checking its header. It looks at
// no more than the header.
func TypeOf(message []byte) (Type, error) {
	if len(message) < HeaderBytes {
		return 0, fault("header", len(message), Truncated)
	}
	t := Type(message[7])
	if _, err := Open(message, t, 0); err != nil {
		return 0, err
	}
	return t, nil
}

// Open checks a message's header: magic, version 1 or 2, type, that the total
// size is what arrived and that the fixed section of so many bytes is inside.
// It gives the position of the fixed section.
func Open(message []byte, t Type, fixed int) (root int, err error) {
	if len(message) < HeaderBytes {
		return 0, fault("header", len(message), Truncated)
	}
	first := binary.LittleEndian.Uint64(message) - uint64(t)<<typeShift
	second := binary.LittleEndian.Uint64(message[8:])
	position := uint64(uint32(second))
	if first != start && first != version2 || second>>32 != uint64(len(message)) ||
		position < HeaderBytes || position+uint64(fixed) > uint64(len(message)) {
		return 0, explain(message, t)
	}
	return int(position), nil
}

// explain finds what Open did not like.
//
//go:noinline
func explain(message []byte, t Type) error {
	switch {
	case binary.LittleEndian.Uint32(message) != start&0xffffffff:
		return fault("magic", 0, BadMagic)
	case binary.LittleEndian.Uint16(message[4:])-1 > 1:
		return fault("version", 4, BadVersion)
	case binary.LittleEndian.Uint16(message[6:]) != uint16(t)<<8:
		return fault("flags", 6, BadType)
	case uint64(binary.LittleEndian.Uint32(message[12:])) != uint64(len(message)):
		return fault("total size", 12, BadSize)
	}
	return fault("root offset", 8, BadRoot)
}

// slot reads the slot with the bits s that stands at the position at. The
// view must lie between floor and the end of the message; next is the floor of
// the slot after it. All in uint64: an offset and a length of 4 GiB each add
// up without overflow, on machines of 32 bits too.
func slot(message []byte, s, at, floor uint64) (view []byte, next uint64, ok bool) {
	from := at + uint64(uint32(s))
	to := from + s>>32
	if from >= floor && to <= uint64(len(message)) {
		return message[from:to:to], to, true
	}
	return nil, floor, s == 0
}

// SlotFault says what is wrong with a slot that was refused. It is for
// generated code.
//
//go:noinline
func SlotFault(message []byte, field string, at uint64) error {
	s := binary.LittleEndian.Uint64(message[at:])
	if at+uint64(uint32(s))+s>>32 > uint64(len(message)) {
		return fault(field, int(at), PastEnd)
	}
	return fault(field, int(at), Overlap)
}

// putHeader writes a message's header for a fixed section that follows it. In
// pieces, because of a word with constant bytes in it the compiler makes eight
// stores.
func putHeader(b []byte, t Type, total uint64) {
	_ = b[15]
	binary.LittleEndian.PutUint32(b, start&0xffffffff)
	binary.LittleEndian.PutUint16(b[4:], start>>32)
	binary.LittleEndian.PutUint16(b[6:], uint16(t)<<8)
	binary.LittleEndian.PutUint32(b[8:], HeaderBytes)
	binary.LittleEndian.PutUint32(b[12:], uint32(total))
}

// putSlot writes the slot at position at of a message for content that starts
// at position tail, and gives where the next content starts.
func putSlot(b []byte, at, tail, length uint64) uint64 {
	if length == 0 {
		binary.LittleEndian.PutUint64(b[at:], 0)
		return tail
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(tail-at))
	binary.LittleEndian.PutUint32(b[at+4:], uint32(length))
	return tail + length
}
