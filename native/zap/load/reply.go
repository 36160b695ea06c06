package load

import "bytes"

// checker holds what all connections of a thread compare replies with.
type checker struct {
	protocol protocol
	expected *Expected
	// known is a whole reply that was found good. Where a reply ends and
	// whether it is good follows from its bytes alone, so the same bytes need
	// no second look; that keeps the loader lighter than the servers.
	known []byte
	// complaint says what was wrong with the first reply that could not be read.
	complaint error
}

// maxKnown is the longest reply kept as known: beyond it the comparison with
// the expected body is as cheap.
const maxKnown = 64 << 10

// reader follows the replies on one connection, however they are split.
type reader struct {
	// pending holds the first bytes of a head that has not arrived whole.
	pending []byte
	// left is how much of the body is still to come, at where it begins in the
	// expected one.
	left, at int
	inBody   bool
	last     bool
	verdict  failure
}

// next takes the first reply out of data. used is how many bytes of data belong
// to it; whole says that it ends there, with the verdict on it. A badReply or a
// reply that is the last ends the connection.
func (r *reader) next(c *checker, data []byte) (used int, whole bool, verdict failure) {
	if !r.inBody && len(r.pending) == 0 && len(c.known) > 0 && len(data) >= len(c.known) && string(data[:len(c.known)]) == string(c.known) {
		return len(c.known), true, none
	}
	return r.read(c, data)
}

func (r *reader) read(c *checker, data []byte) (used int, whole bool, verdict failure) {
	fresh := !r.inBody && len(r.pending) == 0
	if !r.inBody {
		var ok bool
		if used, ok, verdict = r.readHead(c, data); !ok {
			return used, verdict != none, verdict
		}
	}
	n := min(r.left, len(data)-used)
	r.body(c, data[used:used+n])
	used += n
	if r.left > 0 {
		return used, false, none
	}
	if fresh && r.verdict == none && !r.last && used <= maxKnown {
		c.known = append(c.known[:0], data[:used]...)
	}
	r.inBody = false
	return used, true, r.verdict
}

// readHead gives true when the head was there; used is then its length in data.
func (r *reader) readHead(c *checker, data []byte) (used int, ok bool, verdict failure) {
	b := data
	before := len(r.pending)
	if before > 0 {
		r.pending = append(r.pending, data[:min(len(data), maxHead+1-before)]...)
		b = r.pending
	}
	h, more, err := c.protocol.head(b[:min(len(b), maxHead)])
	if err == nil && more && len(b) > maxHead {
		err = errLongHead
	}
	if err != nil {
		if c.complaint == nil {
			c.complaint = err
		}
		return len(data), false, badReply
	}
	if more {
		if before == 0 {
			r.pending = append(r.pending, data...)
		}
		return len(data), false, none
	}
	r.pending = r.pending[:0]
	*r = reader{pending: r.pending, left: h.body, inBody: true, last: h.last}
	switch {
	case h.status != c.expected.Status:
		r.verdict = wrongStatus
	case h.body != len(c.expected.Body):
		r.verdict = wrongBody
	}
	return h.bytes - before, true, none
}

// body compares what has arrived of it.
func (r *reader) body(c *checker, part []byte) {
	if r.verdict == none && !bytes.Equal(part, c.expected.Body[r.at:r.at+len(part)]) {
		r.verdict = wrongBody
	}
	r.at += len(part)
	r.left -= len(part)
}
