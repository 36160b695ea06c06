//go:build !race

package codecs

const raceDetector = false
