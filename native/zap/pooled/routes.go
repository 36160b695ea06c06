package pooled

import "nullius/zap/serve"

// Routes is the handler of the routes that all servers answer.
func Routes(c *Context) {
	serve.Answer(&c.Reply, serve.RecordBalance, c.Method, c.Target, c.Body)
}

// FromOptions makes the server that a program's options ask for.
func FromOptions(o serve.Options, writev Writev) *Server {
	return New(Routes, Limits{
		Idle: o.Timeout, Head: o.Timeout, Body: o.Timeout, Write: o.Timeout,
		FrameBytes: o.FrameLimit, Connections: o.Connections,
	}, writev)
}
