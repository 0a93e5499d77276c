// Package events is the vocabulary of slop: every fact that the engine, a
// worker or a person can record, the envelope that carries it, and the
// interfaces of the log that stores it.
//
// # Contract
//
//   - One event is one JSON document, a CloudEvents 1.0 object in structured
//     mode ([Event]). Any observer can read it alone.
//   - A message is one struct with json tags and one method, EventType. The
//     string it returns is its identity for ever; Go names may change.
//   - Every type has a version. Each bump brings one lift, raw JSON to raw
//     JSON, and a frozen body of every version stays under testdata/.
//   - A type or version that this program does not know decodes to [Unknown].
//     Projections skip it; deciders stop on it ([ErrNewer]).
//   - The package imports nothing else of slop, does no I/O and reads no clock.
//
// Not guaranteed: that two events of different actors carry comparable times.
// Order is the stream sequence and nothing else.
package events
