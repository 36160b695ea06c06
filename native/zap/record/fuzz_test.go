package record

import (
	"bytes"
	"testing"

	"nullius/zap/wire"
)

func FuzzRecord(f *testing.F) {
	f.Add(golden(f, requestVector))
	f.Add(golden(f, responseVector))
	f.Fuzz(func(t *testing.T, message []byte) {
		var q BalanceRequest
		if err := q.Decode(message); err == nil {
			again, err := q.Append(nil)
			var back BalanceRequest
			if err != nil || len(again) > len(message) || back.Decode(again) != nil {
				t.Fatalf("%v: %d bytes became %d", err, len(message), len(again))
			}
			if back.ID != q.ID || back.Block != q.Block || !bytes.Equal(back.Method, q.Method) || !bytes.Equal(back.Account, q.Account) {
				t.Fatalf("%+v became %+v", q, back)
			}
			sameAsObject(t, message, &q)
		}
		var p BalanceResponse
		if err := p.Decode(message); err == nil {
			again, err := p.Append(nil)
			var back BalanceResponse
			if err != nil || len(again) > len(message) || back.Decode(again) != nil {
				t.Fatalf("%v: %d bytes became %d", err, len(message), len(again))
			}
			if back.ID != p.ID || back.Balance != p.Balance || back.Nonce != p.Nonce || !bytes.Equal(back.BlockHash, p.BlockHash) {
				t.Fatalf("%+v became %+v", p, back)
			}
		}
	})
}

// The reader that has no generated code sees the same.
func sameAsObject(t *testing.T, message []byte, q *BalanceRequest) {
	m, err := wire.Parse(message)
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Root(32)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := o.Uint64("id", 0)
	block, _ := o.Uint64("block", 8)
	method, err1 := o.Bytes("method", 16)
	account, err2 := o.Bytes("account", 24)
	if err1 != nil || err2 != nil || id != q.ID || block != q.Block || !bytes.Equal(method, q.Method) || !bytes.Equal(account, q.Account) {
		t.Fatalf("%v %v: %d %d %q %q, not %+v", err1, err2, id, block, method, account, q)
	}
}
