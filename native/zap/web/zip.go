package web

import (
	"context"
	"io"
	"strconv"

	"github.com/gofiber/fiber/v3"

	"nullius/zap/serve"
	"nullius/zap/web/zip"
)

// NewZip answers by typed handlers of package zip over Fiber. With a log it
// writes a line for every request to it.
func NewZip(o serve.Options, log io.Writer) *FastHTTP {
	app := fiber.New()
	description := "zip, our own typed handlers over Fiber, without access log"
	if log != nil {
		zip.Log(app, log)
		description = "zip, our own typed handlers over Fiber, with access log"
	}
	zip.Handle(app, "GET", "/health", health)
	zip.Handle(app, "GET", "/body/+", sized)
	zip.Handle(app, "POST", "/echo", echo)
	zip.Handle(app, "POST", "/chat", chat)
	zip.Handle(app, "POST", "/rpc", rpc)
	return newFastHTTP(serve.Versions(description, "github.com/gofiber/fiber/v3", "github.com/valyala/fasthttp"), o, app.Handler())
}

func health(context.Context, zip.None) (zip.Text, error) { return "ok", nil }

func sized(_ context.Context, digits zip.Param) (zip.Raw, error) {
	n, err := strconv.Atoi(string(digits))
	if err != nil || n < 0 || n > serve.MaxBody {
		return zip.Raw{}, &zip.Error{Status: 400, Sentence: "the size must be from 0 to 16777216"}
	}
	return zip.Raw{Type: serve.JSON.String(), Body: serve.Body(n)}, nil
}

func echo(_ context.Context, in zip.Raw) (zip.Raw, error) {
	return zip.Raw{Type: serve.Binary.String(), Body: in.Body}, nil
}

func chat(_ context.Context, in serve.ChatRequest) (serve.Completion, error) {
	out, err := serve.Complete(&in)
	if err != nil {
		return out, &zip.Error{Status: 400, Sentence: err.Error()}
	}
	return out, nil
}

// rpc has the same codec as the other servers, which is not encoding/json.
func rpc(_ context.Context, in zip.Raw) (zip.Raw, error) {
	var r serve.Reply
	serve.JSONBalance(&r, in.Body)
	if r.Status != 200 {
		return zip.Raw{}, &zip.Error{Status: r.Status, Sentence: string(r.Body[:len(r.Body)-1])}
	}
	return zip.Raw{Type: r.Type.String(), Body: r.Body}, nil
}
