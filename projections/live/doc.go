// Package live keeps the read models of a project current: one reader of the log serves all users
// of sessions in a process.
//
// # Contract
//
//   - [Open] reads the log once to build the [Summary] of every session, and then
//     follows the log with a single watch. Old sessions are folded when they are
//     first viewed; sessions that open from then on are folded as they happen.
//   - [View.Read] sees a session after a complete event, never in between.
//     [Live.WaitFor] lets a writer see what it wrote.
//   - [View.Rendered] and [Live.Listed] share bytes between readers: they are
//     rendered on demand, at most once for each change.
//   - If a read model panics, only that model stops. Viewing it is an error from
//     then on, and no snapshot of its session is stored.
//   - After a feed breaks, it is resumed at the last position. If the log's history is no
//     longer the one that was read, it is never mixed in: Live ends with events.ErrReplaced.
//   - [Live.Await] waits for a state of a session, and [Live.Subscribe] for its
//     events, without polling. A subscriber gets a replay up to a fixed cutoff and
//     then every event as it arrives; one that falls behind is disconnected with
//     events.ErrSlow and can subscribe again from its position. No event is ever
//     dropped silently.
//   - Snapshots are stored while a session grows, and when it closes. They are
//     optional and never trusted: one that is damaged, or from another version or
//     another log, is discarded, and the session is folded from its beginning.
//
// Two sessions may be seen at different positions of the log.
//
// Locks: none of the locks of Live, session and subscriber is taken while another is held, except
// a subscriber's under Live.mu. The lock of a renderer is taken before a session's or Live's.
package live
