// Package bustest opens real embedded buses for tests and benchmarks. There is no fake bus.
package bustest
