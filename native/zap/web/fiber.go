package web

import (
	"github.com/gofiber/fiber/v3"

	"nullius/zap/serve"
)

// routes are those of serve.Answer, as a router has them, but /health.
var routes = []struct{ method, pattern string }{
	{"GET", "/body/:bytes"},
	{"POST", "/echo"},
	{"POST", "/chat"},
	{"POST", "/rpc"},
}

// NewFiber answers by Fiber's router and context. /health is a handler of
// Fiber's own kind, without a second router behind it, because the layer that
// zip adds is taken as the difference of the two on this route.
func NewFiber(o serve.Options) *FastHTTP {
	app := fiber.New()
	app.Get("/health", func(c fiber.Ctx) error {
		c.Response().Header.SetContentTypeBytes(contentTypes[serve.Text])
		c.Response().SetBodyString("ok")
		return nil
	})
	for _, route := range routes {
		app.Add([]string{route.method}, route.pattern, func(c fiber.Ctx) error {
			answer(c.RequestCtx(), serve.JSONBalance)
			return nil
		})
	}
	return newFastHTTP(serve.Versions("Fiber", "github.com/gofiber/fiber/v3", "github.com/valyala/fasthttp"), o, app.Handler())
}
