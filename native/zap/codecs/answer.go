package codecs

import (
	"fmt"

	"nullius/zap/record"
)

// answers is the ledger of the servers: it knows the accounts of Records.
var answers = NewLedger(Records())

// AnswerRecord decodes a ZAP record that asks for a balance, looks the account up
// and appends the record that tells it. It allocates nothing if dst has room
// for 80 bytes. An error leaves dst as it was: what the decoder says of a bad
// record, ErrMethod or ErrAccount. Any number of goroutines may call it.
func AnswerRecord(dst, body []byte) ([]byte, error) { return answers.AnswerRecord(dst, body) }

// AnswerRecord is AnswerRecord for this ledger's accounts.
func (l *Ledger) AnswerRecord(dst, body []byte) ([]byte, error) {
	var q record.BalanceRequest
	if err := q.Decode(body); err != nil {
		return dst, err
	}
	if string(q.Method) != Method {
		return dst, ErrMethod
	}
	e, err := l.findBytes(q.Account)
	if err != nil {
		return dst, err
	}
	p := record.BalanceResponse{ID: q.ID, Balance: e.balance, Nonce: e.nonce, BlockHash: e.hash[:]}
	return p.Append(dst)
}

// AnswerJSON does the same for JSON, by goccy/go-json.
func AnswerJSON(dst, body []byte) ([]byte, error) { return answers.answerJSON(goccy, dst, body) }

// JSONAnswerer gives AnswerJSON by another library: json (encoding/json), jsonv2,
// goccy or sonic, as far as this program was built with it.
func JSONAnswerer(name string) (func(dst, body []byte) ([]byte, error), error) {
	library, ok := libraries[name]
	if !ok {
		return nil, fmt.Errorf("codecs: there is no JSON library %q in this program", name)
	}
	return func(dst, body []byte) ([]byte, error) { return answers.answerJSON(library, dst, body) }, nil
}

// answerJSON appends the answer to dst.
func (l *Ledger) answerJSON(library jsonLibrary, dst, body []byte) ([]byte, error) {
	answer, err := l.handleJSON(library, body)
	if err != nil {
		return dst, err
	}
	return append(dst, answer...), nil
}
