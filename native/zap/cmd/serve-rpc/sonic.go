//go:build amd64 || arm64

package main

import "github.com/bytedance/sonic"

// sonic does not compile for machines of 32 bits.
func init() {
	libraries["sonic"] = library{sonic.Unmarshal, sonic.Marshal, "github.com/bytedance/sonic"}
}
