package load

import (
	"strings"
	"testing"

	"nullius/zap/wire"
)

func TestHTTPRequestBytes(t *testing.T) {
	for _, test := range []struct {
		message Message
		want    string
	}{
		{Message{Method: "GET", Target: "/health"}, "GET /health HTTP/1.1\r\nHost: h:1\r\nUser-Agent: zap-load\r\n\r\n"},
		{Message{Method: "POST", Target: "/echo?a=b"}, "POST /echo?a=b HTTP/1.1\r\nHost: h:1\r\nUser-Agent: zap-load\r\nContent-Length: 0\r\n\r\n"},
		{Message{Method: "POST", Target: "/echo", Body: []byte("ab"), Header: []Field{{"user-agent", "bench"}, {"X", "y"}}},
			"POST /echo HTTP/1.1\r\nHost: h:1\r\nContent-Type: application/json\r\nuser-agent: bench\r\nX: y\r\nContent-Length: 2\r\n\r\nab"},
	} {
		got, err := http{}.request(&test.message, "h:1")
		if err != nil || string(got) != test.want {
			t.Errorf("got %q, %v, want %q", got, err, test.want)
		}
	}
}

func TestZAPRequestBytes(t *testing.T) {
	got, err := zap{}.request(&Message{Method: "POST", Target: "/echo", Body: []byte("ab")}, "h:1")
	if err != nil {
		t.Fatal(err)
	}
	want, err := wire.AppendFramedRequest(nil, &wire.Request{
		Method: []byte("POST"), Target: []byte("/echo"), Proto: []byte("HTTP/1.1"),
		Headers: []byte(`{"Content-Type":["application/json"],"Host":["h:1"],"User-Agent":["zap-load"]}`), Body: []byte("ab"),
	})
	if err != nil || string(got) != string(want) {
		t.Errorf("got %x, want %x (%v)", got, want, err)
	}
}

func TestHTTPHead(t *testing.T) {
	for text, want := range map[string]head{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok":                            {bytes: 38, body: 2, status: 200},
		"HTTP/1.1 404\r\ncontent-length:0\r\nConnection: close\r\n\r\n":             {bytes: 53, status: 404, last: true},
		"HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n":                 {bytes: 51, status: 204},
		"HTTP/1.1 200 \r\nContent-Length: 7\r\nContent-Length: 7\r\nA: b:c\r\n\r\n": {bytes: 63, body: 7, status: 200},
	} {
		got, more, err := http{}.head([]byte(text))
		if got != want || more || err != nil {
			t.Errorf("%q gave %+v %v %v", text, got, more, err)
		}
		end := strings.Index(text, "\r\n\r\n") + 4
		for n := range end {
			if _, more, err := (http{}).head([]byte(text[:n])); !more || err != nil {
				t.Errorf("the first %d bytes of %q gave %v %v", n, text, more, err)
			}
		}
	}
}

func TestHTTPHeadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP/1.0 200 OK\r\n": "does not begin with HTTP/1.1",
		"XTTP":                "does not begin with HTTP/1.1",
		"HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\n":                       "status",
		"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n":                     "status",
		"HTTP/1.1 100 Continue\r\n\r\n":                                     "status",
		"HTTP/1.1 600 X\r\n\r\n":                                            "status",
		"HTTP/1.1 200 OK\r\n\r\n":                                           "no Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n":                     "Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n":                     "Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n":                        "Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n":            "Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n": "Content-Length",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n":             "Transfer-Encoding",
		"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n":                               "header line",
		"HTTP/1.1 200 OK\r\n: x\r\n\r\n":                                    "header line",
	} {
		if _, more, err := (http{}).head([]byte(text)); more || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v %v and not %s", text, more, err, want)
		}
	}
}

func zapReply(t testing.TB, r wire.Response) []byte {
	t.Helper()
	b, err := wire.AppendFramedResponse(nil, &r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestZAPHead(t *testing.T) {
	r := wire.Response{Status: 200, Reason: []byte("OK"), Proto: []byte("HTTP/1.1"), Headers: []byte(`{"A":["b"]}`), Body: []byte("hello")}
	whole := zapReply(t, r)
	want := head{bytes: len(whole) - 5, body: 5, status: 200}
	for n := range len(whole) + 1 {
		got, more, err := zap{}.head(whole[:n])
		if err != nil || more != (n < want.bytes) || !more && got != want {
			t.Errorf("the first %d bytes gave %+v %v %v", n, got, more, err)
		}
	}
	r.Body = nil
	empty := zapReply(t, r)
	if got, more, err := (zap{}).head(empty); (got != head{bytes: len(empty), status: 200}) || more || err != nil {
		t.Errorf("without a body: %+v %v %v", got, more, err)
	}
}

func TestZAPHeadRefuses(t *testing.T) {
	good := zapReply(t, wire.Response{Status: 200, Proto: []byte("HTTP/1.1"), Body: []byte("hello")})
	changed := func(at int, bytes ...byte) []byte {
		b := append([]byte(nil), good...)
		copy(b[at:], bytes)
		return b
	}
	long := zapReply(t, wire.Response{Status: 200, Headers: []byte(`{"A":["` + strings.Repeat("x", maxHead) + `"]}`)})
	for name, test := range map[string]struct {
		bytes []byte
		want  string
	}{
		"length 0":       {[]byte{0, 0, 0, 0}, "length prefix"},
		"length 4 GiB":   {[]byte{255, 255, 255, 255}, "length prefix"},
		"20 bytes":       {[]byte{0, 0, 0, 20}, "shorter than a response's fixed section"},
		"total":          {changed(totalAt, 1), "differ"},
		"root":           {changed(totalAt-4, 24), "root"},
		"magic":          {changed(4, 'X'), "magic"},
		"a request":      {changed(11, 1), "type"},
		"status 0":       {changed(20, 0, 0), "status"},
		"status padding": {changed(23, 1), "status"},
		"body early":     {changed(bodyAt, 0), "not the end"},
		"body beyond":    {changed(bodyAt+4, 200), "not the end"},
		"body 4 GiB":     {changed(bodyAt, 255, 255, 255, 255, 255, 255, 255, 255), "not the end"},
		"trailer":        {changed(trailerAt, 8), "trailer"},
		"long head":      {long, "longer than 16 KiB"},
	} {
		if _, more, err := (zap{}).head(test.bytes); more || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s gave %v %v and not %q", name, more, err, test.want)
		}
	}
}
