package codecs

import (
	"slices"

	"nullius/zap/codecs/balancepb"
)

func init() {
	makers["vtprotobuf"] = func(records []Record) Codec { return vtprotobuf{newMessages(records)} }
	makers["vtprotobuf-unsafe"] = func(records []Record) Codec { return vtprotobufUnsafe{newMessages(records)} }
}

const vtprotobufModule = "github.com/planetscale/vtprotobuf"

// vtprotobuf is code generated for the messages; what it decodes is copied.
type vtprotobuf struct{ messages }

func (c vtprotobuf) EncodeRequest(_ []byte, i int) ([]byte, error) { return c.requests[i].MarshalVT() }
func (c vtprotobuf) EncodeResponse(_ []byte, i int) ([]byte, error) {
	return c.responses[i].MarshalVT()
}

func (c vtprotobuf) DecodeRequest(wire []byte) (uint64, error) {
	var q balancepb.BalanceRequest
	if err := q.UnmarshalVT(wire); err != nil {
		return 0, err
	}
	return sumRequest(q.Id, q.Block, q.Method, q.Account), nil
}

func (c vtprotobuf) DecodeResponse(wire []byte) (uint64, error) {
	var p balancepb.BalanceResponse
	if err := p.UnmarshalVT(wire); err != nil {
		return 0, err
	}
	return sumResponse(p.Id, p.Balance, p.Nonce, p.BlockHash), nil
}

func (c vtprotobuf) Handle(_, wire []byte) ([]byte, error) {
	var q balancepb.BalanceRequest
	if err := q.UnmarshalVT(wire); err != nil {
		return nil, err
	}
	if q.Method != Method {
		return nil, ErrMethod
	}
	e, err := c.ledger.findBytes(q.Account)
	if err != nil {
		return nil, err
	}
	p := balancepb.BalanceResponse{Id: q.Id, Balance: e.balance, Nonce: e.nonce, BlockHash: e.hash[:]}
	return p.MarshalVT()
}

func (c vtprotobuf) Request(wire []byte) (Request, error) {
	q := new(balancepb.BalanceRequest)
	return requestValues(q, q.UnmarshalVT(wire))
}

func (c vtprotobuf) Response(wire []byte) (Response, error) {
	p := new(balancepb.BalanceResponse)
	return responseValues(p, p.UnmarshalVT(wire))
}

func (c vtprotobuf) Path() string { return modulePath(vtprotobufModule) }

// vtprotobufUnsafe is the same generator's other half: what it decodes are
// views into the message, and it encodes into the caller's buffer.
type vtprotobufUnsafe struct{ messages }

func (c vtprotobufUnsafe) EncodeRequest(dst []byte, i int) ([]byte, error) {
	q := c.requests[i]
	dst, room := extend(dst, q.SizeVT())
	_, err := q.MarshalToSizedBufferVT(room)
	return dst, err
}

func (c vtprotobufUnsafe) EncodeResponse(dst []byte, i int) ([]byte, error) {
	return appendVT(dst, c.responses[i])
}

// appendVT appends a response to dst. It takes the type and no interface, which
// would put the handler's response on the heap.
func appendVT(dst []byte, p *balancepb.BalanceResponse) ([]byte, error) {
	dst, room := extend(dst, p.SizeVT())
	_, err := p.MarshalToSizedBufferVT(room)
	return dst, err
}

// extend gives dst longer by n bytes, and those.
func extend(dst []byte, n int) (longer, room []byte) {
	longer = slices.Grow(dst, n)[:len(dst)+n]
	return longer, longer[len(dst):]
}

func (c vtprotobufUnsafe) DecodeRequest(wire []byte) (uint64, error) {
	var q balancepb.BalanceRequest
	if err := q.UnmarshalVTUnsafe(wire); err != nil {
		return 0, err
	}
	return sumRequest(q.Id, q.Block, q.Method, q.Account), nil
}

func (c vtprotobufUnsafe) DecodeResponse(wire []byte) (uint64, error) {
	var p balancepb.BalanceResponse
	if err := p.UnmarshalVTUnsafe(wire); err != nil {
		return 0, err
	}
	return sumResponse(p.Id, p.Balance, p.Nonce, p.BlockHash), nil
}

func (c vtprotobufUnsafe) Handle(dst, wire []byte) ([]byte, error) {
	var q balancepb.BalanceRequest
	if err := q.UnmarshalVTUnsafe(wire); err != nil {
		return dst, err
	}
	if q.Method != Method {
		return dst, ErrMethod
	}
	e, err := c.ledger.findBytes(q.Account)
	if err != nil {
		return dst, err
	}
	p := balancepb.BalanceResponse{Id: q.Id, Balance: e.balance, Nonce: e.nonce, BlockHash: e.hash[:]}
	return appendVT(dst, &p)
}

func (c vtprotobufUnsafe) Request(wire []byte) (Request, error) {
	q := new(balancepb.BalanceRequest)
	// The method is a view into what is decoded, so that must be kept.
	return requestValues(q, q.UnmarshalVTUnsafe(slices.Clone(wire)))
}

func (c vtprotobufUnsafe) Response(wire []byte) (Response, error) {
	p := new(balancepb.BalanceResponse)
	return responseValues(p, p.UnmarshalVTUnsafe(wire))
}

func (c vtprotobufUnsafe) Path() string {
	return "unsafe, caller's buffer, " + modulePath(vtprotobufModule)
}
