package zip

import (
	"io"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v3"
)

// Log writes one line of JSON to w for every request, when it has been
// answered: time, method, path, status, bytes of the reply, duration, the
// client's address and agent, and a number that the reply carries as
// X-Request-Id. It is to be used before the handlers.
func Log(app *fiber.App, w io.Writer) {
	logger := slog.New(slog.NewJSONHandler(w, nil))
	var requests atomic.Uint64
	app.Use(func(c fiber.Ctx) error {
		began := time.Now()
		id := strconv.FormatUint(requests.Add(1), 10)
		c.Set(fiber.HeaderXRequestID, id)
		err := c.Next()
		ctx := c.RequestCtx()
		logger.LogAttrs(ctx, slog.LevelInfo, "request",
			slog.String("id", id),
			slog.String("method", c.Method()),
			slog.String("path", c.Path()),
			slog.Int("status", ctx.Response.StatusCode()),
			slog.Int("bytes", len(ctx.Response.Body())),
			slog.Duration("duration_ns", time.Since(began)),
			slog.String("client", c.IP()),
			slog.String("agent", c.Get(fiber.HeaderUserAgent)),
		)
		return err
	})
}
