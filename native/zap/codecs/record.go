package codecs

import (
	"encoding/binary"
	"math/rand/v2"
)

// Method is the only method the handlers answer.
const Method = "eth_getBalance"

// Request is the values of a request, whatever codec carries them.
type Request struct {
	ID      uint64
	Block   uint64
	Method  string
	Account [20]byte
}

// Response is the values of a response.
type Response struct {
	ID        uint64
	Balance   uint64
	Nonce     uint64
	BlockHash [32]byte
}

// Record is a request and its right response.
type Record struct {
	Request  Request
	Response Response
}

// recordCount is a power of two, so that a loop can walk the records in a ring.
const recordCount = 64

// Records gives 64 records, the same every time: first that of the format's
// golden vectors, then others by a fixed seed. All have as many digits and as
// many varint bytes as the first, so that each codec's wire bytes are one figure.
func Records() []Record {
	records := make([]Record, recordCount)
	golden := &records[0]
	golden.Request = Request{ID: 1, Block: 68943, Method: Method}
	golden.Response = Response{ID: 1, Balance: 1e18, Nonce: 42}
	for i := range golden.Request.Account {
		golden.Request.Account[i] = byte(i + 1)
	}
	for i := range golden.Response.BlockHash {
		golden.Response.BlockHash[i] = byte(0xa0 + i)
	}
	random := rand.New(rand.NewPCG(4, 1))
	for i := 1; i < recordCount; i++ {
		r := &records[i]
		r.Request = Request{ID: 1 + random.Uint64N(9), Block: 16384 + random.Uint64N(100000-16384), Method: Method}
		r.Response = Response{ID: r.Request.ID, Balance: 1e18 + random.Uint64N(8e18), Nonce: 10 + random.Uint64N(90)}
		fill(r.Request.Account[:], random)
		fill(r.Response.BlockHash[:], random)
	}
	return records
}

func fill(b []byte, random *rand.Rand) {
	for i := 0; i < len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], random.Uint32())
	}
}
