//go:build race

package syntax_test

// raceDetector says that the race detector watches, which holds memory of its own.
const raceDetector = true
