// Package live keeps the read models of a project current: one reader of the
// log that fans out to all users of sessions in a process.
//
// # Contract
//
//   - [Open] reads the log once, so that every session is known by its
//     [Summary], and then follows it with a single watch. Old sessions are
//     folded when somebody first looks at one; sessions that open from then on
//     are folded as they happen.
//   - [View.Read] sees a session as it stands after one event, never in between.
//     [Live.WaitFor] makes a writer see what it wrote.
//   - [View.Rendered] and [Live.Listed] share bytes between readers: they are
//     made when somebody asks, at most once for each change of what they show.
//   - A read model that panics stops alone. Looking at it is an error from then
//     on, and no snapshot of its session is stored.
//   - A feed that breaks is taken up again at the position. A log with another
//     history than the one that was read is never mixed in: Live ends with
//     events.ErrReplaced.
//   - [Live.Await] waits for a state of a session and [Live.Subscribe] for its
//     events. Nobody polls. A subscriber gets a replay up to a fixed cutoff and
//     then every event as it comes; one that falls behind is cut off with
//     events.ErrSlow and may subscribe again from its position. Nothing is
//     ever dropped silently.
//   - Snapshots are stored while a session grows, and when it closes. They are
//     optional and never trusted: one that is of another version or another log,
//     or damaged, is discarded and the session folded from its beginning.
//
// Not guaranteed: that two sessions are seen at the same position of the log.
//
// Locks: none of Live, session and subscriber is taken while another is held,
// except a subscriber's under Live.mu; the lock of a renderer is taken before a
// session's or Live's.
package live
