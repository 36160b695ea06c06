package codecs

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// fixed copies bytes to an array, which they must fill.
func fixed[A [20]byte | [32]byte](b []byte) (A, error) {
	var a A
	if len(b) != len(a) {
		return a, fmt.Errorf("codecs: %d bytes where there should be %d", len(b), len(a))
	}
	for i := range len(a) {
		a[i] = b[i]
	}
	return a, nil
}

// fixedHex is fixed for 0x and hex.
func fixedHex[A [20]byte | [32]byte](t string) (A, error) {
	digits, ok := strings.CutPrefix(t, "0x")
	if !ok {
		return *new(A), fmt.Errorf("codecs: %q does not start with 0x", t)
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return *new(A), fmt.Errorf("codecs: %q: %w", t, err)
	}
	return fixed[A](b)
}
