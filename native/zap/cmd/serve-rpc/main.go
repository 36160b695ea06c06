// Command serve-rpc answers the routes of package serve over HTTP by fasthttp,
// with a library for JSON of one's choice behind /rpc.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	goccy "github.com/goccy/go-json"

	"nullius/zap/serve"
	"nullius/zap/web"
)

// library is what a library for JSON has, and the module that it comes from;
// none is the standard library.
type library struct {
	unmarshal func([]byte, any) error
	marshal   func(any) ([]byte, error)
	module    string
}

// libraries holds those that this program was built with.
var libraries = map[string]library{
	"json":  {json.Unmarshal, json.Marshal, ""},
	"goccy": {goccy.Unmarshal, goccy.Marshal, "github.com/goccy/go-json"},
}

func main() {
	name := "goccy"
	serve.Main("serve-rpc", func(flags *flag.FlagSet) {
		known := strings.Join(slices.Sorted(maps.Keys(libraries)), ", ")
		flags.Func("codec", "library behind /rpc: "+known+" (default goccy)", func(text string) error {
			if _, found := libraries[text]; !found {
				return fmt.Errorf("it must be one of %s", known)
			}
			name = text
			return nil
		})
	}, func(o serve.Options) (serve.Server, error) {
		l := libraries[name]
		path := serve.Versions("fasthttp, /rpc by "+name, "github.com/valyala/fasthttp", l.module)
		return web.NewFastHTTPBy(path, o, serve.JSONBalanceBy(l.unmarshal, l.marshal)), nil
	})
}
