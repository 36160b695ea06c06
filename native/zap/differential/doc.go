// Package differential compares implementations of the format ZAP that share
// no code: package wire, package naive, and, by way of the program verdicts,
// the decoder of the pipeline. The same bytes must get the same verdict, and
// give the same values.
package differential
