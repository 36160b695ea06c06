package load

import "errors"

// protocol is what differs between HTTP and ZAP: the bytes of a request, and
// where a reply's head ends. All else is shared.
type protocol interface {
	// request gives the bytes of a request to the server at host.
	request(m *Message, host string) ([]byte, error)
	// head looks at the first bytes of a reply. With more it asks for others
	// after them; the caller gives up at maxHead. The bytes stay as they are.
	head(b []byte) (h head, more bool, err error)
}

// head is what precedes a reply's body.
type head struct {
	// bytes is its length, body the length of what follows.
	bytes, body int
	status      int
	// last says that the server closes the connection after this reply.
	last bool
}

// maxHead bounds a reply's head in bytes.
const maxHead = 16 << 10

func protocolNamed(name string) protocol {
	if name == "zap" {
		return zap{}
	}
	return http{}
}

var errLongHead = errors.New("the reply's head is longer than 16 KiB")
