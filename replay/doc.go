// Package replay reads the record of a session and proves things about it: that
// the decisions on it follow from it, that nothing was changed, and what the
// state was at any position.
//
// # Contract
//
//   - It has no side effects: no bus, no network, no model, no tool, no clock.
//     The same record gives the same answer on every machine.
//   - [Verify] runs the deciders against the record by the procedure by which
//     they run live: foreign events strictly one at a time in stream order, the
//     whole decision on each compared with what is recorded. The first thing
//     that differs is a [Divergence] with a stable code; docs/replay.md lists them.
//   - [Verifier] is Verify for events as they are read, and [Fan] gives each event to
//     several folds at once.
//   - [Rebuild] folds the record into the read models; [Until] cuts it at a
//     sequence; [Fork] makes a prefix the beginning of another session.
//   - [Export] writes one portable file: every event, every blob that an event
//     names, and a hash chain over the events. [Import] reads it strictly and
//     within limits; it also reads plain JSON lines of events, which have no chain.
//
// A [Divergence] is about the record; a [FileError] is about the form of a file.
package replay
