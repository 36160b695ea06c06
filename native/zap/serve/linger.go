package serve

import (
	"net"
	"time"
)

const (
	lingerTime  = 250 * time.Millisecond
	lingerBytes = 1 << 20
)

// Linger ends writing and reads on for a moment. A server calls it before it
// closes a connection whose client may still be sending: closing with bytes
// unread would take the last response away from the client.
func Linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || conn.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	sink := make([]byte, 4<<10)
	for left := lingerBytes; left > 0; {
		n, err := conn.Read(sink)
		if err != nil {
			return
		}
		left -= n
	}
}
