package pooled

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// TestPanicLosesOneClient has a handler panic while another client waits.
func TestPanicLosesOneClient(t *testing.T) {
	server := New(func(c *Context) {
		if string(c.Target) == "/panic" {
			panic("asked for by the test")
		}
		Routes(c)
	}, bounded(), WritevAuto)
	address := start(t, server)
	answer := func(conn net.Conn, target string) ([]byte, error) {
		if _, err := conn.Write(frame(t, "GET", target, nil)); err != nil {
			return nil, err
		}
		reply := make([]byte, 126)
		_, err := io.ReadFull(conn, reply)
		return reply, err
	}
	other := dial(t, address)
	before, err := answer(other, "/health")
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := answer(dial(t, address), "/panic"); err == nil {
		t.Errorf("a handler that panicked answered %q", reply)
	}
	for name, conn := range map[string]net.Conn{"the other client": other, "a new client": dial(t, address)} {
		if after, err := answer(conn, "/health"); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s got %q, %v after the panic, %q before", name, after, err, before)
		}
	}
	for end := time.Now().Add(5 * time.Second); server.openConnections() != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d connections are open, want 2", server.openConnections())
		}
	}
}
