//go:build goexperiment.jsonv2

package codecs

import "encoding/json/v2"

// standardNote says which encoding/json this is.
const standardNote = " over encoding/json/v2"

func init() {
	addJSON("jsonv2", jsonLibrary{
		func(v any) ([]byte, error) { return json.Marshal(v) },
		func(b []byte, v any) error { return json.Unmarshal(b, v) },
		"encoding/json/v2, " + goVersion(),
	})
}
