// Package bustest opens real embedded buses for tests and benchmarks. There is
// not a fake bus.
package bustest
