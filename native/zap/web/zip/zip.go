// Package zip is a thin layer of typed handlers over Fiber: a handler takes the
// request's value and gives the reply's, and the layer decodes, encodes and
// turns errors into statuses. It is our own, made to be measured beside the
// published one, which does the same and is not on the module proxy.
package zip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
)

// Handler answers one request. The context is the request's. An error is
// answered with 500, an *Error with its own status.
type Handler[In, Out any] func(ctx context.Context, in In) (Out, error)

// None is the value of a request that carries none.
type None struct{}

// Text is a reply in text/plain.
type Text string

// Raw is a value that is its bytes: as a request's the body, valid until the
// handler returns, and as a reply's with a content type. The reply's bytes must
// be the request's or never change.
type Raw struct {
	Type string
	Body []byte
}

// Param is the value of a request whose pattern ends in +, what stands there.
type Param string

// Error is an error with a status and a sentence for the client.
type Error struct {
	Status   int
	Sentence string
}

func (e *Error) Error() string { return e.Sentence }

// Handle registers a handler for a method and a pattern of Fiber's. Requests
// are read as None, Param or Raw, replies written from Text or Raw; all other
// types are JSON.
func Handle[In, Out any](app *fiber.App, method, pattern string, handler Handler[In, Out]) {
	app.Add([]string{method}, pattern, func(c fiber.Ctx) error {
		in, err := decode[In](c)
		if err != nil {
			return refuse(c, err)
		}
		out, err := handler(c, in)
		if err != nil {
			return refuse(c, err)
		}
		return encode(c, out)
	})
}

// decode reads the request's value. JSON is read into a value of its own, because
// what is handed to that package moves to the heap: so the others cost nothing.
func decode[In any](c fiber.Ctx) (in In, err error) {
	switch in := any(&in).(type) {
	case *None:
	case *Param:
		*in = Param(c.Params("+1"))
	case *Raw:
		in.Type, in.Body = c.Get(fiber.HeaderContentType), c.RequestCtx().PostBody()
	default:
		return decodeJSON[In](c)
	}
	return in, nil
}

func decodeJSON[In any](c fiber.Ctx) (in In, err error) {
	if json.Unmarshal(c.RequestCtx().PostBody(), &in) != nil {
		return in, errJSON
	}
	return in, nil
}

var errJSON = &Error{fiber.StatusBadRequest, "the body is not the JSON that is expected"}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBuffer is the longest buffer kept for the next reply.
const keptBuffer = 1 << 20

func encode[Out any](c fiber.Ctx, out Out) error {
	response := &c.RequestCtx().Response
	switch value := any(&out).(type) {
	case *None:
		response.SetStatusCode(fiber.StatusNoContent)
	case *Text:
		response.Header.SetContentType(fiber.MIMETextPlainCharsetUTF8)
		response.SetBodyString(string(*value))
	case *Raw:
		response.Header.SetContentType(value.Type)
		response.SetBodyRaw(value.Body)
	default:
		return encodeJSON(response, out)
	}
	return nil
}

func encodeJSON[Out any](response *fasthttp.Response, out Out) error {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	if err := json.NewEncoder(b).Encode(&out); err != nil {
		return err
	}
	response.Header.SetContentType(fiber.MIMEApplicationJSON)
	response.SetBody(b.Bytes())
	if b.Cap() <= keptBuffer {
		buffers.Put(b)
	}
	return nil
}

// refuse answers with an error's status and sentence; what is no *Error keeps
// its text to itself.
func refuse(c fiber.Ctx, err error) error {
	status, sentence := fiber.StatusInternalServerError, "the request could not be answered"
	var known *Error
	if errors.As(err, &known) {
		status, sentence = known.Status, known.Sentence
	}
	response := &c.RequestCtx().Response
	response.SetStatusCode(status)
	response.Header.SetContentType(fiber.MIMETextPlainCharsetUTF8)
	response.SetBodyString(sentence + "\n")
	return nil
}
