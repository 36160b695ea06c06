package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// The test program is the command when it is told to be.
func TestMain(m *testing.M) {
	if os.Getenv("ZAP_LOAD_IS_COMMAND") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func command(t *testing.T, arguments ...string) (code int, output, complaint string) {
	t.Helper()
	c := exec.Command(os.Args[0], arguments...)
	c.Env = append(os.Environ(), "ZAP_LOAD_IS_COMMAND=yes")
	var out, status bytes.Buffer
	c.Stdout, c.Stderr = &out, &status
	err := c.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), status.String()
}

func TestBadArguments(t *testing.T) {
	code, output, complaint := command(t, "--port", "1")
	if code != 2 || output != "" || complaint != "zap-load: one of --requests and --seconds is needed\n" {
		t.Errorf("exit %d, %q, %q", code, output, complaint)
	}
}

func TestNoServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	listener.Close()
	code, output, complaint := command(t, "--port", port, "--requests", "1", "--connections", "1")
	if code != 1 || output != "" || !strings.Contains(complaint, "took no connection") || strings.Count(complaint, "\n") != 1 {
		t.Errorf("exit %d, %q, %q", code, output, complaint)
	}
}

// Requests that fail are counted, and the command has done its work.
func TestFailuresAreCounted(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for b := make([]byte, 1<<10); ; {
			if _, err := conn.Read(b); err != nil {
				return
			}
			io.WriteString(conn, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
		}
	}()
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	code, output, complaint := command(t, "--port", port, "--requests", "3", "--connections", "1", "--warmup-requests", "2")
	var report struct {
		Completed, Failed int
		WarmupFailed      int `json:"warmup_failed"`
		Failures          map[string]int
	}
	if err := json.Unmarshal([]byte(output), &report); err != nil || strings.Count(output, "\n") != 1 {
		t.Fatalf("%q: %v", output, err)
	}
	if code != 0 || complaint != "" || report.Completed != 0 || report.Failed != 3 || report.WarmupFailed != 2 || report.Failures["wrong_status"] != 3 {
		t.Errorf("exit %d, %q, %+v", code, complaint, report)
	}
}
