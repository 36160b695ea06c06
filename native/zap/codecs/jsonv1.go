//go:build !goexperiment.jsonv2

package codecs

// standardNote says which encoding/json this is.
const standardNote = " as it was (GOEXPERIMENT=nojsonv2)"
