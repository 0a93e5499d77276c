// Package replay reads the record of a session and verifies it: that its decisions follow from it and that
// nothing was changed. It can also rebuild the state at any position.
//
// # Contract
//
//   - It has no side effects: no bus, no network, no model, no tool, no clock. The same record gives the same
//     result on every machine.
//   - [Verify] runs the deciders against the record in the same way in which they run live: events of other
//     actors strictly one at a time in stream order, and the complete decision on each compared with the recorded
//     one. The first difference is a [Divergence] with a stable code; docs/replay.md lists the codes.
//   - [Verifier] is Verify for events that are read one by one, and [Fan] passes each event to several folds at once.
//   - [Rebuild] folds the record into the read models; [Until] cuts it at a sequence; [Fork] makes a prefix the
//     beginning of another session.
//   - [Export] writes one portable file: every event, every blob that an event names, and a hash chain over the
//     events. [Import] reads it strictly and within limits. It also reads plain JSON lines of events, which have
//     no chain.
//
// A [Divergence] concerns the record; a [FileError] concerns the form of a file.
package replay
