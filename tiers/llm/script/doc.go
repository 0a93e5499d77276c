// Package script is a model that says what a file tells it to: the deterministic provider for the
// demo, the tests and every kill test.
//
// # The file
//
// One JSON object per line; empty lines are skipped. Unknown fields are errors.
//
//	{"tier": 1..4, "track"?, "ticket"?, "contains"?, "reply": {
//	    "text"?,
//	    "tool_calls"?: [{"name", "args"?}],
//	    "usage"?: {"input"?, "output"?, "cache_read"?, "cache_write"?},
//	    "delay_ms"?,
//	    "error"?: {"kind", "message"?, "retry_after_ms"?} or a string}}
//
// args is an object, or a string with the exact text that the model wrote, which may be invalid.
// input_tokens and output_tokens are aliases of input and output. An error comes after the text
// and the calls of the same reply; a string that is a kind of error means that kind, any other
// string is the message of an invalid_request. Usage that is not given is estimated.
//
// # Contract
//
//   - An [Assigner] assigns lines to requests. It folds the session's
//     ModelRequested events in stream order: each takes the first line not yet
//     taken whose tier, track, ticket and contains match. Every process and
//     every restart computes the same.
//   - contains is a substring of the newest message, see llm.Newest.
//   - A line produces the same reply each time it is played.
package script
