// Package web answers the routes of package serve over HTTP/1.1 by four ways:
// fasthttp alone, Fiber over it, our own thin layer zip over Fiber, and
// net/http. The first three share one fasthttp server with the same limits and
// bounds, so that they differ in the handler only.
package web
