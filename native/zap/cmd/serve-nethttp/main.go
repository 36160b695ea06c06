// Command serve-nethttp answers the routes of package serve over HTTP by net/http.
package main

import (
	"nullius/zap/serve"
	"nullius/zap/web"
)

func main() {
	serve.Main("serve-nethttp", nil, func(o serve.Options) (serve.Server, error) { return web.NewNetHTTP(o), nil })
}
