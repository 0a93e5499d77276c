// Package openai reaches models over OpenAI's Chat Completions wire: OpenAI's
// own and every server that speaks it. Models of OpenAI that take tools only over
// the Responses API are reached there ([Family]). What is different between those servers
// is data, one [Server] each in [Servers]; nothing branches on a name.
//
// # Contract
//
//   - [Provider.Body] is the body that is sent, to the byte. It is written by
//     types of our own, so that an update of the vendor's library changes no
//     recorded prompt; the library carries it and reads the answer.
//   - A reply is whole only with a finish_reason. The line [DONE] alone is none.
//   - Whether there are tool calls is decided by the calls, never by the reason.
//   - Reasoning goes back to the server and model that wrote it, under the name
//     it came by, and to nobody else.
//   - Nothing is read from the environment.
//
// The wire: https://platform.openai.com/docs/api-reference/chat
package openai
