//go:build amd64 || arm64

package codecs

import "github.com/bytedance/sonic"

// sonic compiles encoders and decoders at run time on amd64 and arm64 only; elsewhere
// it would be encoding/json under another name, so it is left out.
func init() {
	addJSON("sonic", jsonLibrary{sonic.Marshal, sonic.Unmarshal, modulePath("github.com/bytedance/sonic")})
}
