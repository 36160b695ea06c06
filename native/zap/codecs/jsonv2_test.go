//go:build goexperiment.jsonv2

package codecs

// jsonAllocations is of encoding/json over json/v2.
var jsonAllocations = allocations{1, 1, 1, 1, 3}
