// Package projections holds the read models of a session: pure folds of its
// events into what people and programs look at.
//
// # Contract
//
//   - A read model is one [Fold]: a name, a version, a start and a function. It
//     has no clock, no I/O and no map order, and it never converts time zones.
//     Folding the same events gives the same bytes on every machine.
//   - A [Set] is every model of one session. It takes decoded events in stream
//     order, once each; a repeated sequence changes nothing.
//   - Where a fact may count only once, the first valid one in stream order
//     counts. Events of an unknown type, with a broken body, or of an actor that
//     may not write them (the registry decodes all of these to
//     [events.Unknown] or [events.Malformed]) change nothing.
//   - Applying an event costs amortised constant time. Texts are kept by
//     reference to the decoded payload and never copied or rendered before
//     somebody asks.
//   - JSON of a model is its whole state: what a snapshot stores and a digest
//     covers. The view is what a client of the gateway sees. Bumping a fold's
//     Version discards its snapshots; nobody migrates a read model.
//
// A Set is not safe for concurrent use; package live guards one with a lock.
// What a getter returns may share memory with the payloads of events: read it,
// never change it.
//
// Adding a model is one file with its fold and its getter, and one line in
// [Catalogue].
package projections
