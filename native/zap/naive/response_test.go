package naive

import (
	"bytes"
	"testing"

	"nullius/zap/serve"
	"nullius/zap/wire"
)

// FuzzResponsesAgree compares the two encoders' bytes.
func FuzzResponsesAgree(f *testing.F) {
	f.Add(200, []byte("ok"), true)
	f.Add(503, []byte(nil), false)
	f.Fuzz(func(t *testing.T, status int, body []byte, typed bool) {
		response := Response{Status: status, Reason: serve.Reason(status), Body: body}
		same := wire.Response{Status: uint16(status), Reason: serve.Reason(status), Proto: []byte("HTTP/1.1"), Body: body}
		if typed {
			response.ContentType = "text/plain"
			same.Headers = []byte(`{"Content-Type":["text/plain"]}`)
		}
		got, failed := encodeResponse(&response)
		want, err := wire.AppendFramedResponse(nil, &same)
		if status < 100 || status > 599 {
			if failed == nil {
				t.Fatalf("status %d was encoded", status)
			}
			return
		}
		if err != nil || failed != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v %v\n%x\n%x", err, failed, got, want)
		}
	})
}
