package codecs

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"nullius/zap/codecs/balancefb"
)

func init() {
	makers["flatbuffers"] = func(records []Record) Codec {
		return &flatCodec{records: records, ledger: NewLedger(records), builder: flatbuffers.NewBuilder(256)}
	}
}

// flatCodec reads FlatBuffers in place and writes them with one builder, again
// and again. It has no form of its own to keep records in: a message is
// built from values.
type flatCodec struct {
	records []Record
	ledger  *Ledger
	builder *flatbuffers.Builder
}

func (c *flatCodec) EncodeRequest(_ []byte, i int) ([]byte, error) {
	r, b := &c.records[i].Request, c.builder
	b.Reset()
	method := b.CreateString(r.Method)
	account := b.CreateByteVector(r.Account[:])
	balancefb.BalanceRequestStart(b)
	balancefb.BalanceRequestAddId(b, r.ID)
	balancefb.BalanceRequestAddBlock(b, r.Block)
	balancefb.BalanceRequestAddMethod(b, method)
	balancefb.BalanceRequestAddAccount(b, account)
	b.Finish(balancefb.BalanceRequestEnd(b))
	return b.FinishedBytes(), nil
}

func (c *flatCodec) EncodeResponse(_ []byte, i int) ([]byte, error) {
	r := &c.records[i].Response
	return c.build(r.ID, r.Balance, r.Nonce, r.BlockHash[:]), nil
}

// build makes a response.
func (c *flatCodec) build(id, balance, nonce uint64, hash []byte) []byte {
	b := c.builder
	b.Reset()
	vector := b.CreateByteVector(hash)
	balancefb.BalanceResponseStart(b)
	balancefb.BalanceResponseAddId(b, id)
	balancefb.BalanceResponseAddBalance(b, balance)
	balancefb.BalanceResponseAddNonce(b, nonce)
	balancefb.BalanceResponseAddBlockHash(b, vector)
	b.Finish(balancefb.BalanceResponseEnd(b))
	return b.FinishedBytes()
}

func (c *flatCodec) DecodeRequest(wire []byte) (uint64, error) {
	q := balancefb.GetRootAsBalanceRequest(wire, 0)
	return sumRequest(q.Id(), q.Block(), q.Method(), q.AccountBytes()), nil
}

func (c *flatCodec) DecodeResponse(wire []byte) (uint64, error) {
	p := balancefb.GetRootAsBalanceResponse(wire, 0)
	return sumResponse(p.Id(), p.Balance(), p.Nonce(), p.BlockHashBytes()), nil
}

func (c *flatCodec) Handle(_, wire []byte) ([]byte, error) {
	q := balancefb.GetRootAsBalanceRequest(wire, 0)
	if string(q.Method()) != Method {
		return nil, ErrMethod
	}
	e, err := c.ledger.findBytes(q.AccountBytes())
	if err != nil {
		return nil, err
	}
	return c.build(q.Id(), e.balance, e.nonce, e.hash[:]), nil
}

func (c *flatCodec) Request(wire []byte) (Request, error) {
	q := balancefb.GetRootAsBalanceRequest(wire, 0)
	account, err := fixed[[20]byte](q.AccountBytes())
	return Request{ID: q.Id(), Block: q.Block(), Method: string(q.Method()), Account: account}, err
}

func (c *flatCodec) Response(wire []byte) (Response, error) {
	p := balancefb.GetRootAsBalanceResponse(wire, 0)
	hash, err := fixed[[32]byte](p.BlockHashBytes())
	return Response{ID: p.Id(), Balance: p.Balance(), Nonce: p.Nonce(), BlockHash: hash}, err
}

func (c *flatCodec) Path() string { return modulePath("github.com/google/flatbuffers") }
