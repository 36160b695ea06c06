//go:build !goexperiment.jsonv2

package codecs

// jsonAllocations is of encoding/json as it was.
var jsonAllocations = allocations{7, 6, 1, 1, 9}
