// Command serve-fiber answers the routes of package serve over HTTP by Fiber.
package main

import (
	"nullius/zap/serve"
	"nullius/zap/web"
)

func main() {
	serve.Main("serve-fiber", nil, func(o serve.Options) (serve.Server, error) { return web.NewFiber(o), nil })
}
