package wire

import (
	"encoding/binary"
	"math"
)

// A reader of any message of objects and lists, for what has no generated
// code. An object slot is an i32 offset from the slot's own position, zero for
// none; a list slot is an i32 offset and a u32 number of elements. Their
// offsets may point backwards, so a message can be a graph with cycles. Two
// limits keep any walk through it short: objects nested deeper than MaxDepth
// are refused, and so is visiting more bytes than visitFactor times the
// message holds, which a graph with many ways to one object would take.

const (
	// MaxDepth is how deep objects may be nested; the root has depth 1.
	MaxDepth = 64

	visitFactor = 8
	visitExtra  = 4 << 10 // so that short messages can be read more than once
)

// Message is a message whose objects are read one by one. It is for one
// goroutine at a time: it counts what was visited.
type Message struct {
	bytes []byte
	left  uint64 // bytes that may still be visited
}

// Object is the fixed section of an object.
type Object struct {
	message *Message
	at      uint64 // of the fixed section
	size    uint64
	depth   int
}

// List is a run of elements of one size, which one after the other are given
// in the same time, however long the list.
type List struct {
	message *Message
	at      uint64
	stride  uint64
	count   uint64
	depth   int
}

// Parse checks the header of a message of any type.
func Parse(message []byte) (Message, error) {
	if _, err := TypeOf(message); err != nil {
		return Message{}, err
	}
	return Message{bytes: message, left: visitFactor*uint64(len(message)) + visitExtra}, nil
}

// Root gives the message's root object, whose fixed section has size bytes.
func (m *Message) Root(size int) (Object, error) {
	root := int64(binary.LittleEndian.Uint32(m.bytes[8:]))
	return m.object("root", 8, root, size, 1)
}

// object checks that a fixed section lies after the header and inside the
// message, and counts it. slot is the position of what refers to it.
func (m *Message) object(field string, slot uint64, at int64, size, depth int) (Object, error) {
	if depth > MaxDepth {
		return Object{}, fault(field, int(slot), TooDeep)
	}
	size = max(size, 0)
	if err := m.visit(field, slot, at, uint64(size)); err != nil {
		return Object{}, err
	}
	return Object{message: m, at: uint64(at), size: uint64(size), depth: depth}, nil
}

func (m *Message) visit(field string, slot uint64, at int64, size uint64) error {
	if at < HeaderBytes || size > uint64(len(m.bytes)) || uint64(at) > uint64(len(m.bytes))-size {
		return fault(field, int(slot), PastEnd)
	}
	// An empty object costs something too, or there is no end of them.
	if cost := size + slotBytes; cost > m.left {
		return fault(field, int(slot), TooMuch)
	} else {
		m.left -= cost
	}
	return nil
}

// field gives the position of the n bytes at offset of the fixed section.
func (o Object) field(name string, offset, n int) (uint64, error) {
	if offset < 0 || n > int(o.size) || offset > int(o.size)-n {
		return 0, fault(name, int(o.at), OutOfSection)
	}
	return o.at + uint64(offset), nil
}

// Uint64 reads eight bytes of the fixed section.
func (o Object) Uint64(name string, offset int) (uint64, error) {
	at, err := o.field(name, offset, 8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(o.message.bytes[at:]), nil
}

// Bytes gives the content of the text or bytes slot at offset, a view; nil if
// the slot is empty. It must not lie in the object's own fixed section.
func (o Object) Bytes(name string, offset int) ([]byte, error) {
	at, err := o.field(name, offset, slotBytes)
	if err != nil {
		return nil, err
	}
	s := binary.LittleEndian.Uint64(o.message.bytes[at:])
	view, _, ok := slot(o.message.bytes, s, at, o.at+o.size)
	if !ok {
		return nil, SlotFault(o.message.bytes, name, at)
	}
	return view, nil
}

// Object gives the object of size bytes that the slot at offset refers to.
func (o Object) Object(name string, offset, size int) (Object, error) {
	at, err := o.field(name, offset, 4)
	if err != nil {
		return Object{}, err
	}
	return o.message.follow(name, at, size, o.depth+1)
}

// follow reads an object slot.
func (m *Message) follow(name string, at uint64, size, depth int) (Object, error) {
	offset := int32(binary.LittleEndian.Uint32(m.bytes[at:]))
	if offset == 0 {
		return Object{}, fault(name, int(at), NullReference)
	}
	return m.object(name, at, int64(at)+int64(offset), size, depth)
}

// List gives the list that the slot at offset refers to, whose elements are
// stride bytes apart, 1 to 2^31-1. A slot of zeros is a list without elements.
func (o Object) List(name string, offset, stride int) (List, error) {
	at, err := o.field(name, offset, slotBytes)
	if err != nil {
		return List{}, err
	}
	s := binary.LittleEndian.Uint64(o.message.bytes[at:])
	if s == 0 {
		return List{}, nil
	}
	if stride < 1 || stride > math.MaxInt32 {
		return List{}, fault(name, int(at), OutOfSection)
	}
	if o.depth >= MaxDepth {
		return List{}, fault(name, int(at), TooDeep)
	}
	// The product is below 2^63: 2^32 elements of 2^31 bytes.
	from, count := int64(at)+int64(int32(s)), s>>32
	if err := o.message.visit(name, at, from, count*uint64(stride)); err != nil {
		return List{}, err
	}
	return List{o.message, uint64(from), uint64(stride), count, o.depth + 1}, nil
}

// Len is the number of the list's elements.
func (l List) Len() int { return int(l.count) }

// Element gives element i, stored in place, as an object.
func (l List) Element(name string, i int) (Object, error) {
	if uint64(i) >= l.count {
		return Object{}, fault(name, int(l.at), OutOfSection)
	}
	at := l.at + uint64(i)*l.stride
	return l.message.object(name, at, int64(at), int(l.stride), l.depth)
}

// Object gives the object of size bytes that element i, an object slot,
// refers to.
func (l List) Object(name string, i, size int) (Object, error) {
	if uint64(i) >= l.count {
		return Object{}, fault(name, int(l.at), OutOfSection)
	}
	at := l.at + uint64(i)*l.stride
	if l.stride < 4 {
		return Object{}, fault(name, int(at), OutOfSection)
	}
	return l.message.follow(name, at, size, l.depth+1)
}
