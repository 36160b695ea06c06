package serve

import (
	"encoding/hex"
	"strconv"

	"github.com/goccy/go-json"

	"nullius/zap/record"
)

// accountBytes is the length of an account's address.
const accountBytes = 20

// The state of the chain that /rpc knows: every account has the same.
const (
	balance = 1_000_000_000_000_000_000
	nonce   = 42
)

var (
	blockHash = func() []byte {
		hash := make([]byte, 32)
		for i := range hash {
			hash[i] = 0xa0 + byte(i)
		}
		return hash
	}()
	blockHashText = "0x" + hex.EncodeToString(blockHash)
)

// lookUp checks a call and reports whether it can be answered.
func lookUp(method, account []byte) bool {
	return string(method) == "eth_getBalance" && len(account) == accountBytes
}

// RecordBalance is eth_getBalance as a typed record. It allocates nothing once
// the reply's buffer is long enough.
func RecordBalance(r *Reply, body []byte) {
	var call record.BalanceRequest
	if err := call.Decode(body); err != nil {
		r.fail(400, "the body is not a record of a balance request")
		return
	}
	if !lookUp(call.Method, call.Account) {
		r.fail(400, "the method must be eth_getBalance and the account 20 bytes")
		return
	}
	answer := record.BalanceResponse{ID: call.ID, Balance: balance, Nonce: nonce, BlockHash: blockHash}
	reply, err := answer.Append(r.Buffer[:0])
	if err != nil {
		r.fail(500, "the reply cannot be written as a record")
		return
	}
	r.Buffer = reply
	r.Set(200, Binary, reply)
}

// balanceCall and balanceAnswer are the same values as JSON, bytes as hex after
// 0x.
type balanceCall struct {
	ID      uint64 `json:"id"`
	Block   uint64 `json:"block"`
	Method  string `json:"method"`
	Account string `json:"account"`
}

type balanceAnswer struct {
	ID        uint64 `json:"id"`
	Balance   uint64 `json:"balance"`
	Nonce     uint64 `json:"nonce"`
	BlockHash string `json:"blockHash"`
}

// JSONBalance is eth_getBalance as JSON, by goccy/go-json, the fastest of the
// libraries for JSON that the article compares with.
var JSONBalance = JSONBalanceBy(json.Unmarshal, json.Marshal)

// JSONBalanceBy is eth_getBalance as JSON by the two functions of a library.
func JSONBalanceBy(unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) Procedure {
	return func(r *Reply, body []byte) { jsonBalance(r, body, unmarshal, marshal) }
}

func jsonBalance(r *Reply, body []byte, unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) {
	var call balanceCall
	if err := unmarshal(body, &call); err != nil {
		r.fail(400, "the body is not a balance request in JSON")
		return
	}
	var account [accountBytes]byte
	if len(call.Account) != len("0x")+2*accountBytes || call.Account[:2] != "0x" {
		r.fail(400, "the account must be "+strconv.Itoa(accountBytes)+" bytes as hex after 0x")
		return
	}
	if _, err := hex.Decode(account[:], []byte(call.Account[2:])); err != nil || !lookUp([]byte(call.Method), account[:]) {
		r.fail(400, "the method must be eth_getBalance and the account 20 bytes as hex after 0x")
		return
	}
	reply, err := marshal(balanceAnswer{ID: call.ID, Balance: balance, Nonce: nonce, BlockHash: blockHashText})
	if err != nil {
		r.fail(500, "the reply cannot be written as JSON")
		return
	}
	r.Set(200, JSON, reply)
}

// ExampleRecordCall and ExampleJSONCall give a call that /rpc answers, the same
// in both forms, for load generators and tests.
func ExampleRecordCall() []byte {
	call := record.BalanceRequest{ID: 1, Block: 68943, Method: []byte("eth_getBalance"), Account: exampleAccount()}
	message, err := call.Append(nil)
	if err != nil {
		panic(err) // it is short
	}
	return message
}

func ExampleJSONCall() []byte {
	text, err := json.Marshal(balanceCall{ID: 1, Block: 68943, Method: "eth_getBalance",
		Account: "0x" + hex.EncodeToString(exampleAccount())})
	if err != nil {
		panic(err)
	}
	return text
}

func exampleAccount() []byte {
	account := make([]byte, accountBytes)
	for i := range account {
		account[i] = byte(i + 1)
	}
	return account
}
