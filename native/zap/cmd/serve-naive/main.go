// Program serve-naive answers the routes over ZAP with the server of package
// naive.
package main

import (
	"nullius/zap/naive"
	"nullius/zap/serve"
)

func main() {
	serve.Main("serve-naive", nil, func(o serve.Options) (serve.Server, error) { return naive.New(o), nil })
}
