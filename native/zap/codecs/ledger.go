package codecs

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// The ways in which a well-formed request cannot be answered.
var (
	ErrMethod  = errors.New("codecs: the method is not " + Method)
	ErrAccount = errors.New("codecs: the account is not known")
)

// entry is what the ledger knows of an account. Texts are kept beside bytes, so
// that no codec's handler pays for conversions that another's does not need.
type entry struct {
	account     [20]byte
	accountText string // 0x and hex
	balance     uint64
	nonce       uint64
	hash        [32]byte
	hashText    string // 0x and hex
}

const ledgerBits = 8

// Ledger finds accounts by their bytes or by their text. It is never changed
// once made, so any number of goroutines may ask it.
type Ledger struct {
	byBytes [1 << ledgerBits]*entry
	byText  [1 << ledgerBits]*entry
}

// NewLedger makes a ledger that answers each record's request with its
// response. At most half as many records as it has places fit.
func NewLedger(records []Record) *Ledger {
	l := new(Ledger)
	if len(records) > len(l.byBytes)/2 {
		panic("codecs: too many records for the ledger")
	}
	for _, r := range records {
		e := &entry{
			account: r.Request.Account, accountText: hexText(r.Request.Account[:]),
			balance: r.Response.Balance, nonce: r.Response.Nonce,
			hash: r.Response.BlockHash, hashText: hexText(r.Response.BlockHash[:]),
		}
		place(&l.byBytes, bytesPlace(e.account[:]), e)
		place(&l.byText, textPlace(e.accountText), e)
	}
	return l
}

func place(table *[1 << ledgerBits]*entry, at uint8, e *entry) {
	for table[at] != nil {
		at++
	}
	table[at] = e
}

// findBytes looks an account up by its bytes.
func (l *Ledger) findBytes(account []byte) (*entry, error) {
	if len(account) != 20 {
		return nil, ErrAccount
	}
	for at := bytesPlace(account); ; at++ {
		e := l.byBytes[at]
		if e == nil {
			return nil, ErrAccount
		}
		if e.account == [20]byte(account) {
			return e, nil
		}
	}
}

// findText looks an account up by its text.
func (l *Ledger) findText(account string) (*entry, error) {
	if len(account) != 42 {
		return nil, ErrAccount
	}
	for at := textPlace(account); ; at++ {
		e := l.byText[at]
		if e == nil {
			return nil, ErrAccount
		}
		if e.accountText == account {
			return e, nil
		}
	}
}

// An account is the end of a hash, so any of its bytes are well mixed. These take
// eight, and multiply, because the golden record's is not.
func bytesPlace(account []byte) uint8 {
	return uint8(binary.LittleEndian.Uint64(account[12:]) * mix >> (64 - ledgerBits))
}

func textPlace(account string) uint8 {
	end := account[34:42]
	low := uint64(end[0]) | uint64(end[1])<<8 | uint64(end[2])<<16 | uint64(end[3])<<24
	high := uint64(end[4]) | uint64(end[5])<<8 | uint64(end[6])<<16 | uint64(end[7])<<24
	return uint8((low | high<<32) * mix >> (64 - ledgerBits))
}

// mix is 2^64 divided by the golden ratio: multiplicative hashing.
const mix = 0x9e3779b97f4a7c15

func hexText(b []byte) string { return "0x" + hex.EncodeToString(b) }
