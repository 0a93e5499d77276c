// Package sessiongen generates sessions: event lists with the shapes, sizes and
// interleaving of real ones, for benchmarks and load tests.
//
// # Contract
//
// The same seed and length give the same bytes everywhere. Every event decodes
// with [events.Catalogue] and is written by an actor that may write it; the
// order is one that the engine could have produced; tool outputs are the
// largest part of about 1.5 kB an event. The texts are meaningless.
package sessiongen
