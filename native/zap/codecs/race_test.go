//go:build race

package codecs

const raceDetector = true
