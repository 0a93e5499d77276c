// Package sessiongen generates sessions: event lists with the shapes, sizes and
// interleaving of real ones, for benchmarks and load tests.
//
// # Contract
//
// The same seed and length give the same bytes everywhere. Every event decodes with
// [events.Catalogue] and has an actor that may write it, and the order is one that the engine
// could have produced. Events have about 1.5 kB on average, most of it tool output. The texts are
// meaningless.
package sessiongen
