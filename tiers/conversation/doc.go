// Package conversation is what tiers 1 to 4 say to a model and hear from it, kept
// within what the model takes. It is the only place that leaves something out of
// a prompt.
//
// # Contract
//
//   - Pure, as every part of a decider: no clock, no randomness, no I/O, no map
//     order. Whoever owns a [Thread] emits what [Thread.Fit] says and folds it
//     with [Thread.Apply]; nothing is left out that no event tells of.
//   - A prompt is measured before it is sent: by the provider's own count of the
//     one before and a quarter of the bytes since, or its share of that count where
//     it is shorter now, else by a quarter of all bytes.
//     The limit is the model's context window less the longest reply.
//   - Left out are, in this order and only as far as it takes: results of older
//     rounds beyond their first [ResultHead] characters, oldest first; older rounds
//     whole, oldest first; the results of the newest round, cut the same way; then
//     views of the newest round and of the beginning, the last one first, cut, and
//     then altogether.
//   - The role, what the person wrote, the brief and what is said in the newest round stay. Where
//     they alone are too long, Fit says so and nothing is sent.
//   - A round goes whole: a reply, its calls and their results. So no result is
//     without its call, no call without its result, and what a vendor wants back
//     verbatim is sent as it came or not at all.
//   - What is left out is left out for good, and far at once, to [spare] of the
//     limit: the prefix of the prompts behind it stays the same for many rounds.
//   - A provider that finds a prompt too long although it was measured to fit is
//     given a shorter one, at most [MaxRefusals] times a round; what it refused is
//     the limit from then on.
package conversation
