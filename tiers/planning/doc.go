// Package planning is what the deciders of tiers 1 and 2 have in common: they
// ask a model for a plan, read a JSON array out of its reply, tell it what was
// wrong and ask again, and give up after [MaxReplies].
//
// # Contract
//
//   - Pure, as every part of a decider: no clock, no randomness, no I/O, no map
//     order. What is due is a value; the decider that owns the [Job] emits it.
//   - A job has at most one fact due and waits for at most one answer. An answer
//     to anything older does not count ([Job.Awaits]).
//   - A failed model call is tried again as [tiers.NextAttempt] says and does not
//     count as a reply. An unusable reply costs one of [MaxReplies] and moves the
//     tier's model ladder up by one.
//   - A request goes to whom the settings of now name; one on record keeps what
//     it has.
//   - Each job starts clean: nothing of another plan is in its prompts.
package planning
