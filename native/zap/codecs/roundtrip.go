package codecs

import (
	"bytes"
	"fmt"
)

// RoundTrip encodes the records, decodes them to plain values, compares them
// with what they were, and encodes those again with a codec made anew. It gives
// a sentence if all bytes are the same and else an error that names the record.
func RoundTrip(name string, records []Record) (string, error) {
	first, err := New(name, records)
	if err != nil {
		return "", err
	}
	decoded := make([]Record, len(records))
	for i := range records {
		if decoded[i], err = reread(first, i); err != nil {
			return "", fmt.Errorf("codecs: %s, record %d: %w", name, i, err)
		}
		if decoded[i] != records[i] {
			return "", fmt.Errorf("codecs: %s, record %d: %+v became %+v", name, i, records[i], decoded[i])
		}
	}
	second, err := New(name, decoded)
	if err != nil {
		return "", err
	}
	for i := range records {
		for kind, encode := range map[string][2]func([]byte, int) ([]byte, error){
			"request":  {first.EncodeRequest, second.EncodeRequest},
			"response": {first.EncodeResponse, second.EncodeResponse},
		} {
			before, err := encode[0](nil, i)
			if err != nil {
				return "", err
			}
			after, err := encode[1](nil, i)
			if err != nil {
				return "", err
			}
			if !bytes.Equal(before, after) {
				return "", fmt.Errorf("codecs: %s, record %d: the %s's bytes became others", name, i, kind)
			}
		}
	}
	return fmt.Sprintf("same bytes after decoding and encoding again, %d records", len(records)), nil
}

// reread encodes record i and decodes it to plain values.
func reread(c Codec, i int) (r Record, err error) {
	wire, err := c.EncodeRequest(nil, i)
	if err != nil {
		return r, err
	}
	if r.Request, err = c.Request(wire); err != nil {
		return r, err
	}
	if wire, err = c.EncodeResponse(nil, i); err != nil {
		return r, err
	}
	r.Response, err = c.Response(wire)
	return r, err
}
