package codecs

import (
	"google.golang.org/protobuf/proto"

	"nullius/zap/codecs/balancepb"
)

func init() {
	makers["protobuf"] = func(records []Record) Codec { return protobufCodec{newMessages(records)} }
}

// messages is what the codecs of Protocol Buffers have in common.
type messages struct {
	ledger    *Ledger
	requests  []*balancepb.BalanceRequest
	responses []*balancepb.BalanceResponse
}

func newMessages(records []Record) messages {
	m := messages{ledger: NewLedger(records)}
	for _, r := range records {
		m.requests = append(m.requests, &balancepb.BalanceRequest{
			Id: r.Request.ID, Block: r.Request.Block, Method: r.Request.Method, Account: r.Request.Account[:],
		})
		m.responses = append(m.responses, &balancepb.BalanceResponse{
			Id: r.Response.ID, Balance: r.Response.Balance, Nonce: r.Response.Nonce, BlockHash: r.Response.BlockHash[:],
		})
	}
	return m
}

// requestValues takes the fields out of a request that unmarshal filled.
func requestValues(q *balancepb.BalanceRequest, err error) (Request, error) {
	if err != nil {
		return Request{}, err
	}
	account, err := fixed[[20]byte](q.Account)
	return Request{ID: q.Id, Block: q.Block, Method: q.Method, Account: account}, err
}

// responseValues is the same for a response.
func responseValues(p *balancepb.BalanceResponse, err error) (Response, error) {
	if err != nil {
		return Response{}, err
	}
	hash, err := fixed[[32]byte](p.BlockHash)
	return Response{ID: p.Id, Balance: p.Balance, Nonce: p.Nonce, BlockHash: hash}, err
}

// protobufCodec is Google's library, which works by reflection tables.
type protobufCodec struct{ messages }

func (c protobufCodec) EncodeRequest(_ []byte, i int) ([]byte, error) {
	return proto.Marshal(c.requests[i])
}

func (c protobufCodec) EncodeResponse(_ []byte, i int) ([]byte, error) {
	return proto.Marshal(c.responses[i])
}

func (c protobufCodec) DecodeRequest(wire []byte) (uint64, error) {
	var q balancepb.BalanceRequest
	if err := proto.Unmarshal(wire, &q); err != nil {
		return 0, err
	}
	return sumRequest(q.Id, q.Block, q.Method, q.Account), nil
}

func (c protobufCodec) DecodeResponse(wire []byte) (uint64, error) {
	var p balancepb.BalanceResponse
	if err := proto.Unmarshal(wire, &p); err != nil {
		return 0, err
	}
	return sumResponse(p.Id, p.Balance, p.Nonce, p.BlockHash), nil
}

func (c protobufCodec) Handle(_, wire []byte) ([]byte, error) {
	var q balancepb.BalanceRequest
	if err := proto.Unmarshal(wire, &q); err != nil {
		return nil, err
	}
	if q.Method != Method {
		return nil, ErrMethod
	}
	e, err := c.ledger.findBytes(q.Account)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(&balancepb.BalanceResponse{Id: q.Id, Balance: e.balance, Nonce: e.nonce, BlockHash: e.hash[:]})
}

func (c protobufCodec) Request(wire []byte) (Request, error) {
	q := new(balancepb.BalanceRequest)
	return requestValues(q, proto.Unmarshal(wire, q))
}

func (c protobufCodec) Response(wire []byte) (Response, error) {
	p := new(balancepb.BalanceResponse)
	return responseValues(p, proto.Unmarshal(wire, p))
}

func (c protobufCodec) Path() string { return modulePath("google.golang.org/protobuf") }
