// Command serve-fasthttp answers the routes of package serve over HTTP by fasthttp.
package main

import (
	"nullius/zap/serve"
	"nullius/zap/web"
)

func main() {
	serve.Main("serve-fasthttp", nil, func(o serve.Options) (serve.Server, error) { return web.NewFastHTTP(o), nil })
}
