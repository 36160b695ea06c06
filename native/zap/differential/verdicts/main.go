// Command verdicts reads messages of the format ZAP, one in each line in
// hexadecimal, and prints for each a line of JSON with what package wire makes
// of it: an error, or every value. Another decoder is compared with it.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"nullius/zap/record"
	"nullius/zap/wire"
)

// Fault is a wire.Error.
type Fault struct {
	Field  string `json:"field"`
	Offset int    `json:"offset"`
	Reason string `json:"reason"`
}

// Verdict is what was read from a message, bytes as hexadecimal, or why not.
// Headers are the pairs, or null where they cannot be read.
type Verdict struct {
	Type     wire.Type         `json:"type"`
	Fault    *Fault            `json:"fault,omitempty"`
	Values   map[string]string `json:"values,omitempty"`
	Headers  [][2]string       `json:"headers"`
	Trailer  [][2]string       `json:"trailer"`
	Response *Verdict          `json:"response,omitempty"` // of a record, read as a response
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(2)
	}
}

func run() error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 2*wire.MaxHeadersBytes+1<<20)
	out := bufio.NewWriter(os.Stdout)
	for line := 1; in.Scan(); line++ {
		message, err := hex.DecodeString(in.Text())
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		text, err := json.Marshal(judge(message))
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if _, err := fmt.Fprintf(out, "%s\n", text); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	return out.Flush()
}

func judge(message []byte) Verdict {
	t, err := wire.TypeOf(message)
	v := Verdict{Type: t}
	if err != nil {
		return v.refused(err)
	}
	switch t {
	case wire.TypeRecord:
		return records(message)
	case wire.TypeRequest:
		var r wire.Request
		if err := r.Decode(message); err != nil {
			return v.refused(err)
		}
		v.values("method", r.Method, "target", r.Target, "proto", r.Proto, "body", r.Body)
		v.Headers, v.Trailer = pairs(r.Headers), pairs(r.Trailer)
	case wire.TypeResponse, wire.TypeResponseHead:
		var r wire.Response
		read := r.Decode
		if t == wire.TypeResponseHead {
			read = r.DecodeHead
		}
		if err := read(message); err != nil {
			return v.refused(err)
		}
		v.values("reason", r.Reason, "proto", r.Proto, "body", r.Body)
		v.Values["status"] = fmt.Sprint(r.Status)
		v.Headers, v.Trailer = pairs(r.Headers), pairs(r.Trailer)
	case wire.TypeData:
		piece, err := wire.Data(message)
		if err != nil {
			return v.refused(err)
		}
		v.values("data", piece)
	case wire.TypeEnd:
		trailer, err := wire.End(message)
		if err != nil {
			return v.refused(err)
		}
		v.values("end trailer", trailer)
	}
	return v
}

func records(message []byte) Verdict {
	var v, response Verdict
	var q record.BalanceRequest
	if err := q.Decode(message); err != nil {
		v = v.refused(err)
	} else {
		v.values("method", q.Method, "account", q.Account)
		v.Values["id"], v.Values["block"] = fmt.Sprint(q.ID), fmt.Sprint(q.Block)
	}
	var p record.BalanceResponse
	if err := p.Decode(message); err != nil {
		response = response.refused(err)
	} else {
		response.values("blockHash", p.BlockHash)
		response.Values["id"], response.Values["balance"], response.Values["nonce"] = fmt.Sprint(p.ID), fmt.Sprint(p.Balance), fmt.Sprint(p.Nonce)
	}
	v.Response = &response
	return v
}

func (v *Verdict) values(named ...any) {
	v.Values = map[string]string{}
	for i := 0; i < len(named); i += 2 {
		v.Values[named[i].(string)] = hex.EncodeToString(named[i+1].([]byte))
	}
}

func (v Verdict) refused(err error) Verdict {
	var fault *wire.Error
	if !errors.As(err, &fault) {
		panic(err) // the package promises nothing else
	}
	v.Fault = &Fault{fault.Field, fault.Offset, string(fault.Reason)}
	return v
}

// pairs reads headers; nil where they cannot be read.
func pairs(h []byte) [][2]string {
	all := [][2]string{}
	var c wire.Cursor
	for c.Reset(h, nil); c.Next(); {
		all = append(all, [2]string{string(c.Name), string(c.Value)})
	}
	if c.Err() != nil {
		return nil
	}
	return all
}
