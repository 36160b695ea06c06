package codecs

import "nullius/zap/record"

func init() {
	makers["zap"] = func(records []Record) Codec {
		c := &zap{ledger: NewLedger(records)}
		for _, r := range records {
			c.requests = append(c.requests, record.BalanceRequest{
				ID: r.Request.ID, Block: r.Request.Block, Method: []byte(r.Request.Method), Account: r.Request.Account[:],
			})
			c.responses = append(c.responses, record.BalanceResponse{
				ID: r.Response.ID, Balance: r.Response.Balance, Nonce: r.Response.Nonce, BlockHash: r.Response.BlockHash[:],
			})
		}
		return c
	}
}

// zap is the generated record of package record.
type zap struct {
	ledger    *Ledger
	requests  []record.BalanceRequest
	responses []record.BalanceResponse
}

func (c *zap) EncodeRequest(dst []byte, i int) ([]byte, error)  { return c.requests[i].Append(dst) }
func (c *zap) EncodeResponse(dst []byte, i int) ([]byte, error) { return c.responses[i].Append(dst) }

func (c *zap) DecodeRequest(wire []byte) (uint64, error) {
	var q record.BalanceRequest
	if err := q.Decode(wire); err != nil {
		return 0, err
	}
	return sumRequest(q.ID, q.Block, q.Method, q.Account), nil
}

func (c *zap) DecodeResponse(wire []byte) (uint64, error) {
	var p record.BalanceResponse
	if err := p.Decode(wire); err != nil {
		return 0, err
	}
	return sumResponse(p.ID, p.Balance, p.Nonce, p.BlockHash), nil
}

func (c *zap) Handle(dst, wire []byte) ([]byte, error) { return c.ledger.AnswerRecord(dst, wire) }

func (c *zap) Request(wire []byte) (Request, error) {
	var q record.BalanceRequest
	if err := q.Decode(wire); err != nil {
		return Request{}, err
	}
	account, err := fixed[[20]byte](q.Account)
	return Request{ID: q.ID, Block: q.Block, Method: string(q.Method), Account: account}, err
}

func (c *zap) Response(wire []byte) (Response, error) {
	var p record.BalanceResponse
	if err := p.Decode(wire); err != nil {
		return Response{}, err
	}
	hash, err := fixed[[32]byte](p.BlockHash)
	return Response{ID: p.ID, Balance: p.Balance, Nonce: p.Nonce, BlockHash: hash}, err
}

func (c *zap) Path() string { return "nullius/zap/record, " + goVersion() }
