package codecs

import (
	stdjson "encoding/json"

	goccyjson "github.com/goccy/go-json"
)

// requestJSON is the request as JSON has it: 103 bytes.
type requestJSON struct {
	ID      uint64 `json:"id"`
	Block   uint64 `json:"block"`
	Method  string `json:"method"`
	Account string `json:"account"` // 0x and hex
}

// responseJSON is the response as JSON has it: 130 bytes.
type responseJSON struct {
	ID        uint64 `json:"id"`
	Balance   uint64 `json:"balance"`
	Nonce     uint64 `json:"nonce"`
	BlockHash string `json:"blockHash"` // 0x and hex
}

// jsonLibrary is what every JSON library has.
type jsonLibrary struct {
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
	path      string
}

// libraries holds the JSON libraries this program was built with, by name.
var libraries = map[string]jsonLibrary{}

var goccy = jsonLibrary{goccyjson.Marshal, goccyjson.Unmarshal, modulePath("github.com/goccy/go-json")}

func init() {
	addJSON("json", jsonLibrary{stdjson.Marshal, stdjson.Unmarshal, "encoding/json" + standardNote + ", " + goVersion()})
	addJSON("goccy", goccy)
}

func addJSON(name string, library jsonLibrary) {
	libraries[name] = library
	makers[name] = func(records []Record) Codec {
		c := &jsonCodec{library: library, ledger: NewLedger(records)}
		for _, r := range records {
			c.requests = append(c.requests, requestJSON{r.Request.ID, r.Request.Block, r.Request.Method, hexText(r.Request.Account[:])})
			c.responses = append(c.responses, responseJSON{r.Response.ID, r.Response.Balance, r.Response.Nonce, hexText(r.Response.BlockHash[:])})
		}
		return c
	}
}

// jsonCodec is any of the JSON libraries.
type jsonCodec struct {
	library   jsonLibrary
	ledger    *Ledger
	requests  []requestJSON
	responses []responseJSON
}

func (c *jsonCodec) EncodeRequest(_ []byte, i int) ([]byte, error) {
	return c.library.marshal(&c.requests[i])
}

func (c *jsonCodec) EncodeResponse(_ []byte, i int) ([]byte, error) {
	return c.library.marshal(&c.responses[i])
}

func (c *jsonCodec) DecodeRequest(wire []byte) (uint64, error) {
	var q requestJSON
	if err := c.library.unmarshal(wire, &q); err != nil {
		return 0, err
	}
	return sumRequest(q.ID, q.Block, q.Method, q.Account), nil
}

func (c *jsonCodec) DecodeResponse(wire []byte) (uint64, error) {
	var p responseJSON
	if err := c.library.unmarshal(wire, &p); err != nil {
		return 0, err
	}
	return sumResponse(p.ID, p.Balance, p.Nonce, p.BlockHash), nil
}

func (c *jsonCodec) Handle(_, wire []byte) ([]byte, error) {
	return c.ledger.handleJSON(c.library, wire)
}

// handleJSON gives the library's own bytes.
func (l *Ledger) handleJSON(library jsonLibrary, body []byte) ([]byte, error) {
	var q requestJSON
	if err := library.unmarshal(body, &q); err != nil {
		return nil, err
	}
	if q.Method != Method {
		return nil, ErrMethod
	}
	e, err := l.findText(q.Account)
	if err != nil {
		return nil, err
	}
	return library.marshal(&responseJSON{ID: q.ID, Balance: e.balance, Nonce: e.nonce, BlockHash: e.hashText})
}

func (c *jsonCodec) Request(wire []byte) (Request, error) {
	var q requestJSON
	if err := c.library.unmarshal(wire, &q); err != nil {
		return Request{}, err
	}
	account, err := fixedHex[[20]byte](q.Account)
	return Request{ID: q.ID, Block: q.Block, Method: q.Method, Account: account}, err
}

func (c *jsonCodec) Response(wire []byte) (Response, error) {
	var p responseJSON
	if err := c.library.unmarshal(wire, &p); err != nil {
		return Response{}, err
	}
	hash, err := fixedHex[[32]byte](p.BlockHash)
	return Response{ID: p.ID, Balance: p.Balance, Nonce: p.Nonce, BlockHash: hash}, err
}

func (c *jsonCodec) Path() string { return c.library.path }
