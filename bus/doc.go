// Package bus is the log of slop on NATS JetStream: an embedded server, or a
// connection to one elsewhere, behind the seams of package events. It is the
// only package that imports NATS.
//
// # Contract
//
//   - [Open] runs the server of one data folder; [Server.Connect] and [Dial]
//     give a [Conn] with the rights of one [Role]. Nothing but the connection
//     differs between the two.
//   - A [Conn] is an events.Log and an events.Blobs. An acknowledged append
//     survives the death of the process; with durability "sync" also the loss
//     of power. Work may be handed out again after a crash: whoever acts on it
//     asks the log or takes a claim first.
//   - One stream holds every fact, so there is one total order. Nothing is ever
//     deleted from it: full means events.ErrFull, a missing sequence means
//     events.ErrHole, an unreadable store means [ErrDamaged].
//   - Rights are enforced by the server. A refused publish comes back as
//     events.ErrDenied at once.
//
// # Readers
//
// Reading pulls from its own ordered consumer making instead of the client
// library's: that one cannot be stopped while it waits for a lost server, and
// hides how many events are still to come. A process that follows many sessions
// watches its project once and fans out inside.
//
// # Streams
//
// SLOP_EV holds the facts; OBJ_SLOP_BLOBS is an object store of bodies named by
// digest; KV_SLOP_SNAPSHOTS and KV_SLOP_CLAIMS are key-value buckets. Timers are
// plain timers that the timer effect rebuilds from the log, so there is no
// stream for them.
package bus
