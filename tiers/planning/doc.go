// Package planning holds the common part of the deciders of tiers 1 and 2: they ask a model for a
// plan, read a JSON array from its reply, report what was wrong and ask again, and give up after
// [MaxReplies].
//
// # Contract
//
//   - The package is pure, like every part of a decider: it uses no clock, no randomness and no
//     I/O, and does not depend on map order. The due fact is a value; the decider that owns the
//     [Job] emits it.
//   - A job has at most one fact due and waits for at most one answer. Answers
//     to older requests are ignored ([Job.Awaits]).
//   - A failed model call is retried according to [tiers.NextAttempt] and does
//     not count as a reply. An unusable reply uses one of [MaxReplies], and the
//     next model of the tier's list is asked.
//   - The current settings determine who answers a request; a recorded request does not change.
//   - Each job starts from scratch: its prompts contain nothing of other plans.
package planning
