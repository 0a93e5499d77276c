// Package bus implements the log of slop on NATS JetStream. It runs an embedded server or connects to an external
// one, behind the interfaces of package events. It is the only package that imports NATS.
//
// # Contract
//
//   - [Open] runs the server of one data folder; [Server.Connect] and [Dial] return a [Conn] with the rights of
//     one [Role]. The two differ only in how they connect.
//   - A [Conn] is an events.Log and an events.Blobs. An acknowledged append survives a crash of the process and,
//     with durability "sync", a loss of power. Work may be redelivered after a crash, so a handler must check the
//     log or take a claim before it acts.
//   - One stream holds every fact, so there is one total order. Nothing is ever deleted from it: a full stream
//     returns events.ErrFull, a missing sequence events.ErrHole, an unreadable store [ErrDamaged].
//   - The server enforces rights. A denied publish returns events.ErrDenied at once.
//
// # Readers
//
// Reads use their own ordered consumers instead of the client library's, which cannot be stopped while it waits
// for a lost server, and which hides how many events are still pending. A process that follows many sessions
// watches its project once and distributes the events itself.
//
// # Streams
//
// SLOP_EV holds the facts; OBJ_SLOP_BLOBS is an object store of bodies named by digest; KV_SLOP_SNAPSHOTS and
// KV_SLOP_CLAIMS are key-value buckets. Timers have no stream, because the timer effect rebuilds them from the
// log.
package bus
