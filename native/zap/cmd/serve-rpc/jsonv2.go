//go:build goexperiment.jsonv2

package main

import "encoding/json/v2"

func init() {
	libraries["jsonv2"] = library{
		func(data []byte, v any) error { return json.Unmarshal(data, v) },
		func(v any) ([]byte, error) { return json.Marshal(v) },
		"",
	}
}
