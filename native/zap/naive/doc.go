// Package naive is a ZAP server of the shape that the article describes before
// its codec was made free of allocations. It allocates for every request, at
// three places:
//
//   - a fresh frame buffer for each call, one for the request (readFrame) and
//     one for the response (encodeResponse),
//   - names and values of headers copied as strings into a map (Header.add),
//   - a fresh request context (newContext).
//
// Each response is written by itself, whether or not more requests wait. What
// the published code did wrong with hostile input it does not do: its verdicts
// are those of package wire, whose code it does not use, so that the two can be
// tested against each other.
package naive
