// Package conversation holds the conversations of tiers 1 to 4 with their models, and keeps their
// prompts within the model's limits. It is the only place that leaves something out of a prompt.
//
// # Contract
//
//   - The package is pure, like every part of a decider: it uses no clock, no randomness and no
//     I/O, and does not depend on map order. The owner of a [Thread] emits the event that
//     [Thread.Fit] returns and folds it with [Thread.Apply]; nothing is left out without an
//     event.
//   - A prompt is measured before it is sent: by the provider's own count of the
//     previous prompt plus a quarter of the bytes added since, or by a share of
//     that count if the prompt is shorter now, else by a quarter of all bytes.
//     The limit is the model's context window less the longest reply.
//   - These are left out, in this order and only as far as needed: the results
//     of older rounds except their first [ResultHead] characters, oldest first;
//     whole older rounds, oldest first; the results of the newest round, cut the
//     same way; then views of the newest round and of the beginning, last one
//     first: first cut, then removed.
//   - The role, the user's text, the brief and the text of the newest round
//     stay. If they alone are too long, Fit returns an error and nothing is sent.
//   - Rounds are left out whole: a reply, its calls and their results. So a
//     result always has its call, a call always has its result, and what a
//     vendor needs back verbatim is sent unchanged or not at all.
//   - What is left out never returns, and so much is left out at once (down to
//     [spare] of the limit) that the prefix of the following prompts stays the
//     same for many rounds.
//   - If a provider finds a prompt too long although it was measured to fit, the
//     prompt is shortened again, at most [MaxRefusals] times per round; from then
//     on the rejected size is the limit.
package conversation
