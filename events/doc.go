// Package events defines the vocabulary of slop: every fact that the engine, a worker or a person
// can record, the envelope around it, and the interfaces of the log that stores it.
//
// # Contract
//
//   - One event is one JSON document, a CloudEvents 1.0 object in structured
//     mode ([Event]). It can be read without any other event.
//   - A message is one struct with json tags and one method, EventType. The
//     name that it returns never changes; Go names may.
//   - Every type has a version. Each new version comes with one lift, from raw
//     JSON to raw JSON, and a frozen body of every version stays in testdata/.
//   - A type or version that this program does not know decodes to [Unknown].
//     Projections skip it; deciders stop on it ([ErrNewer]).
//   - The package imports nothing of slop except package chars, does no I/O and
//     reads no clock.
//
// The times of events of different actors are not comparable. Only the stream sequence defines the
// order.
package events
