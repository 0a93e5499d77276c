// Package openai reaches models through OpenAI's Chat Completions API: OpenAI's own and every
// compatible server. OpenAI models that support tools only on the Responses API are reached there
// ([Family]). The differences between those servers are data, one [Server] each in [Servers]; no
// code branches on a name.
//
// # Contract
//
//   - [Provider.Body] returns exactly the bytes that are sent. It is encoded
//     with types of our own, so that an update of the vendor's library changes
//     no recorded prompt; the library sends it and reads the answer.
//   - A reply is complete only with a finish_reason. The line [DONE] alone is
//     not enough.
//   - Whether a reply has tool calls depends on the calls, never on the
//     finish_reason.
//   - Reasoning goes back only to the server and model that wrote it, in the
//     field in which it arrived.
//   - Nothing is read from the environment.
//
// See https://platform.openai.com/docs/api-reference/chat.
package openai
