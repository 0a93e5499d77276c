// Package anthropic speaks the Messages API of Anthropic, and of servers that
// speak it too (https://platform.claude.com/docs/en/api/messages).
//
// # Contract
//
//   - [Provider.Body] is made by this package alone, so that a release of the
//     SDK never changes a recorded request; the transport sends those bytes.
//   - What a model thought and signed goes back verbatim, in order, to the same
//     model only. Without such blocks a reply is sent from its portable part.
//   - At most four cache marks: the last tool, the last system block, and the
//     last block of the two newest user messages that the next request will
//     still have. The block of changed files stands behind the last mark.
//   - The results of one round go into one user message, before any text.
//   - A reply counts only with a stop reason and message_stop. pause_turn is an
//     incomplete reply, because nothing here asks for tools of the server.
package anthropic
