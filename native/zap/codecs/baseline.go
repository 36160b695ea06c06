package codecs

import "errors"

// Two that carry no values: what a bench itself costs, and what it costs to copy
// ZAP's bytes, which is the least that could carry them.
func init() {
	makers["none"] = func(records []Record) Codec { return none{} }
	makers["copy"] = func(records []Record) Codec {
		c := &copier{zap: makers["zap"](records)}
		for i := range records {
			request, _ := c.zap.EncodeRequest(nil, i)
			response, _ := c.zap.EncodeResponse(nil, i)
			c.requests, c.responses = append(c.requests, request), append(c.responses, response)
		}
		return c
	}
}

var errNoValues = errors.New("codecs: none and copy carry no values")

// none does nothing.
type none struct{}

func (none) EncodeRequest(dst []byte, i int) ([]byte, error)  { return dst, nil }
func (none) EncodeResponse(dst []byte, i int) ([]byte, error) { return dst, nil }
func (none) DecodeRequest(wire []byte) (uint64, error)        { return uint64(len(wire)), nil }
func (none) DecodeResponse(wire []byte) (uint64, error)       { return uint64(len(wire)), nil }
func (none) Handle(dst, wire []byte) ([]byte, error)          { return dst, nil }
func (none) Request(wire []byte) (Request, error)             { return Request{}, errNoValues }
func (none) Response(wire []byte) (Response, error)           { return Response{}, errNoValues }
func (none) Path() string                                     { return "the loop alone, " + goVersion() }

// copier copies what zap would have read or written.
type copier struct {
	zap                 Codec
	requests, responses [][]byte
	read                [256]byte
}

func (c *copier) EncodeRequest(dst []byte, i int) ([]byte, error) {
	return append(dst, c.requests[i]...), nil
}

func (c *copier) EncodeResponse(dst []byte, i int) ([]byte, error) {
	return append(dst, c.responses[i]...), nil
}

func (c *copier) DecodeRequest(wire []byte) (uint64, error) {
	return uint64(copy(c.read[:], wire)), nil
}
func (c *copier) DecodeResponse(wire []byte) (uint64, error) {
	return uint64(copy(c.read[:], wire)), nil
}

func (c *copier) Handle(dst, wire []byte) ([]byte, error) {
	copy(c.read[:], wire)
	return append(dst, c.responses[wire[16]%recordCount]...), nil
}

func (c *copier) Request(wire []byte) (Request, error)   { return Request{}, errNoValues }
func (c *copier) Response(wire []byte) (Response, error) { return Response{}, errNoValues }
func (c *copier) Path() string                           { return "copy of ZAP's bytes, " + goVersion() }
