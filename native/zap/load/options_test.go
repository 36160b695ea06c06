package load

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	o, err := Parse(strings.Fields("--port 8080 --protocol zap --target /echo --connections 3 --depth 16 --warmup-requests 5 --seconds 1.5 --rate 250 --body-hex 00ff --seed 7 --processors 2 --server-pid 9 --timeout-ms 20 --settle-ms 0 --signal=false"))
	if err != nil {
		t.Fatal(err)
	}
	if o.Server.String() != "127.0.0.1:8080" || o.Protocol != "zap" || o.Connections != 3 || o.Depth != 16 || o.WarmupRequests != 5 ||
		o.Requests != 0 || o.Duration != 1500*time.Millisecond || o.Rate != 250 || o.Seed != 7 || o.Processors != 2 || o.ServerPID != 9 ||
		o.Timeout != 20*time.Millisecond || o.Settle != 0 || o.Signal {
		t.Fatalf("got %+v", o)
	}
	if m := o.Message; m.Method != "POST" || m.Target != "/echo" || string(m.Body) != "\x00\xff" {
		t.Fatalf("got %+v", m)
	}
	if want := (Expected{Status: 200, Body: []byte("\x00\xff"), Known: true, Bytes: -1}); !reflect.DeepEqual(o.Expected, want) {
		t.Fatalf("got %+v, want %+v", o.Expected, want)
	}
}

func TestParseRefuses(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxBody+1); err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		"--requests 1":                                         "--port is 0, it must be from 1 to 65535",
		"--port 65536 --requests 1":                            "--port is 65536",
		"--port 1":                                             "one of --requests and --seconds is needed",
		"--port 1 --requests 1 --seconds 1":                    "exclude each other",
		"--port 1 --requests -1":                               "--requests is -1",
		"--port 1 --seconds -1":                                "--seconds is -1",
		"--port 1 --seconds NaN":                               "--seconds",
		"--port 1 --seconds 1 --rate -1":                       "--rate is -1",
		"--port 1 --seconds 1 --rate NaN":                      "--rate is NaN",
		"--port 1 --seconds 1 --rate Inf":                      "--rate is +Inf",
		"--port 1 --requests 1 --protocol ftp":                 "--protocol is \"ftp\", it must be http or zap",
		"--port 1 --requests 1 --connections 0":                "--connections is 0",
		"--port 1 --requests 1 --depth 0":                      "--depth is 0",
		"--port 1 --requests 1 --timeout-ms 0":                 "--timeout-ms is 0",
		"--port 1 --requests 1 --processors 3 --connections 2": "--processors is 3, more than the 2 of --connections",
		"--port 1 --requests 1 --address example.org":          "--address \"example.org\"",
		"--port 1 --requests 1 --target health":                "--target \"health\" must begin with /",
		"--port 1 --requests 1 --method G,T":                   "--method \"G,T\"",
		"--port 1 --requests 1 --header nonsense":              "a header is written Name: value",
		"--port 1 --requests 1 --header Content-Length:3":      "is the loader's to set",
		"--port 1 --requests 1 --header a@b:3":                 "is not a header of HTTP",
		"--port 1 --requests 1 --body-hex abc":                 "--body-hex",
		"--port 1 --requests 1 --body-bytes -5":                "--body-bytes is -5",
		"--port 1 --requests 1 --body-bytes 1 --body-text x":   "exclude each other",
		"--port 1 --requests 1 --body /nowhere/at/all":         "--body cannot be read",
		"--port 1 --requests 1 --body " + big:                  "the most is 64 MiB",
		"--port 1 --requests 1 --status 99":                    "--status is 99",
		"--port 1 --requests 1 --expect-bytes 3":               "--expect-bytes is 3, and the body that is expected has 2",
		"--port 1 --requests 1 --expect /nowhere/at/all":       "--expect cannot be read",
		"--port 1 --requests 1 extra":                          "\"extra\" is none",
		"--port 1 --requests 1 --nonsense":                     "nonsense",
	} {
		_, err := Parse(strings.Fields(arguments))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n  gave %v\n  and not %s", arguments, err, want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s gave more than one line: %v", arguments, err)
		}
	}
}

func TestChatBody(t *testing.T) {
	for _, n := range []int{1, 61, 62, 63, 100, 5000} {
		if got := ChatBody(n); len(got) != n {
			t.Errorf("asked for %d bytes, got %d", n, len(got))
		}
	}
	if got, want := string(ChatBody(70)), `{"model":"nullius","messages":[{"role":"user","content":"the quick"}]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
