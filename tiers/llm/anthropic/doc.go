// Package anthropic speaks the Messages API of Anthropic and of compatible servers
// (https://platform.claude.com/docs/en/api/messages).
//
// # Contract
//
//   - [Provider.Body] is built by this package alone, so that a release of the
//     SDK never changes a recorded request; the transport sends those bytes.
//   - Signed thinking goes back verbatim and in order, to the same model only.
//     A reply without such blocks is sent from its portable part.
//   - At most four cache marks: the last tool, the last system block, and the
//     last block of the two newest user messages that the next request will
//     still have. The block of changed files comes after the last mark.
//   - The results of one round go into one user message, before any text.
//   - A reply is complete only with a stop reason and message_stop. pause_turn
//     makes it incomplete, because we never ask for server-side tools.
package anthropic
