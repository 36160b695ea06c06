package wire

import (
	"encoding/binary"
	"errors"
	"testing"
)

// wantFault fails unless err is the *Error given, and what errors.Is says.
func wantFault(t *testing.T, name string, err error, want Error) {
	t.Helper()
	var got *Error
	if !errors.As(err, &got) || *got != want || !errors.Is(err, want.Reason) {
		t.Errorf("%s: got %v, want %v", name, err, &want)
	}
}

func root(t *testing.T, message []byte, size int) Object {
	t.Helper()
	m, err := Parse(message)
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Root(size)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestHostileObjects(t *testing.T) {
	v := load(t)
	_, err := root(t, v.bytes(t, "hostile", "slot length 4 GiB"), 8).Bytes("text", 0)
	wantFault(t, "slot length 4 GiB", err, Error{"text", 16, PastEnd})

	_, err = Parse(v.bytes(t, "hostile", "root out of range"))
	wantFault(t, "root out of range", err, Error{"root offset", 8, BadRoot})

	_, err = root(t, v.bytes(t, "hostile", "nested object out of bounds"), 8).Object("child", 0, 8)
	wantFault(t, "nested object", err, Error{"child", 16, PastEnd})

	list, err := root(t, v.bytes(t, "hostile", "list with a bad element"), 8).List("items", 0, 4)
	if err != nil || list.Len() != 1 {
		t.Fatalf("%v, %d elements", err, list.Len())
	}
	_, err = list.Object("item", 0, 8)
	wantFault(t, "null element", err, Error{"item", 24, NullReference})
	_, err = list.Object("item", 1, 8)
	wantFault(t, "element 1 of 1", err, Error{"item", 24, OutOfSection})
	_, err = root(t, v.bytes(t, "hostile", "list with a bad element"), 8).List("items", 0, 8)
	wantFault(t, "elements of 8 bytes", err, Error{"items", 16, PastEnd})
}

func TestCycleEnds(t *testing.T) {
	o := root(t, load(t).bytes(t, "hostile", "object that points at itself"), 16)
	var err error
	steps := 0
	for ; err == nil && steps < 1000; steps++ {
		o, err = o.Object("self", 8, 16)
	}
	wantFault(t, "cycle", err, Error{"self", 24, TooDeep})
	if steps != MaxDepth {
		t.Errorf("%d steps, want %d", steps, MaxDepth)
	}
}

// Every object refers twice to the next: 2^40 ways to the last.
func TestManyWaysEnd(t *testing.T) {
	const levels, size = 40, 8
	message := make([]byte, HeaderBytes+levels*size)
	putHeader(message, TypeRecord, uint64(len(message)))
	for i := range levels - 1 {
		at := HeaderBytes + i*size
		binary.LittleEndian.PutUint32(message[at:], size)
		binary.LittleEndian.PutUint32(message[at+4:], size-4)
	}
	visited := 0
	var walk func(o Object) error
	walk = func(o Object) error {
		visited++
		for _, offset := range []int{0, 4} {
			child, err := o.Object("child", offset, size)
			if errors.Is(err, NullReference) {
				continue
			}
			if err == nil {
				err = walk(child)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(root(t, message, size)); !errors.Is(err, TooMuch) {
		t.Errorf("got %v after %d objects, want %v", err, visited, TooMuch)
	}
	if visited > 1000 {
		t.Errorf("visited %d objects of a message of %d", visited, levels)
	}
}

func TestObjectFields(t *testing.T) {
	v := load(t)
	o := root(t, v.bytes(t, "record", "request id 1, block 68943, method eth_getBalance, account 01..14"), 32)
	if n, err := o.Uint64("block", 8); n != 68943 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if b, err := o.Bytes("method", 16); string(b) != "eth_getBalance" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	for _, offset := range []int{-1, 25, 32, 1 << 30} {
		_, err := o.Uint64("block", offset)
		wantFault(t, "offset", err, Error{"block", 16, OutOfSection})
	}
	_, err := o.Bytes("method", 25)
	wantFault(t, "slot", err, Error{"method", 16, OutOfSection})
	if l, err := root(t, v.bytes(t, "http", "stream end"), 8).List("none", 0, 8); l.Len() != 0 || err != nil {
		t.Errorf("%d %v", l.Len(), err)
	}
	m, _ := Parse(v.bytes(t, "http", "stream end"))
	for _, size := range []int{9, 1 << 30, 1<<31 - 1} {
		_, err := m.Root(size)
		wantFault(t, "size", err, Error{"root", 8, PastEnd})
	}
}
