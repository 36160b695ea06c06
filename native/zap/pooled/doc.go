// Package pooled is a ZAP server that allocates nothing for a request on a warm
// connection.
//
// All that a connection needs (read buffer, write buffer, context, the table of
// its headers) is taken from a pool when it is accepted and goes back when it
// is closed. Requests are decoded where they were read; responses are appended
// to the write buffer and written when no further whole request waits.
//
// # Bounds
//
// The first reading happens into 4 KiB. A longer request's buffer grows fourfold
// each time it is full, so a length prefix costs nothing by itself; what grew is
// given back as soon as the connection waits with nothing read.
//
// No deadline is set for a request: that would cost more than the request.
// A connection notes what it waits for and since which tick of a coarse clock,
// and one goroutine looks at all of them at every tick, an eighth of the
// shortest bound but from 1 ms to 1 s. A bound of T thus takes effect after T
// at the earliest and T and two ticks at the latest. See Limits.
package pooled
