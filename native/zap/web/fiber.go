package web

import (
	"github.com/gofiber/fiber/v3"

	"nullius/zap/serve"
)

// routes are those of serve.Answer, as a router has them.
var routes = []struct{ method, pattern string }{
	{"GET", "/health"},
	{"GET", "/body/:bytes"},
	{"POST", "/echo"},
	{"POST", "/chat"},
	{"POST", "/rpc"},
}

// NewFiber answers by Fiber's router and context.
func NewFiber(o serve.Options) *FastHTTP {
	app := fiber.New()
	for _, route := range routes {
		app.Add([]string{route.method}, route.pattern, func(c fiber.Ctx) error {
			answer(c.RequestCtx(), serve.JSONBalance)
			return nil
		})
	}
	return newFastHTTP(serve.Versions("Fiber", "github.com/gofiber/fiber/v3", "github.com/valyala/fasthttp"), o, app.Handler())
}
