// Package conformance holds the tests that every ZAP server must pass: the
// published bytes, and clients that lie, dawdle or vanish.
package conformance
