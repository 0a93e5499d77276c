// Package script is the model that says what a file tells it to say: the
// deterministic provider behind the demo, the tests and every kill test.
//
// # The file
//
// One JSON object a line; empty lines are skipped. Unknown fields are errors.
//
//	{"tier": 1..4, "track"?, "ticket"?, "contains"?, "reply": {
//	    "text"?,
//	    "tool_calls"?: [{"name", "args"?}],
//	    "usage"?: {"input"?, "output"?, "cache_read"?, "cache_write"?},
//	    "delay_ms"?,
//	    "error"?: {"kind", "message"?, "retry_after_ms"?} or a string}}
//
// args is an object, or a string that stands for the very text that the model
// wrote, which may be broken. input_tokens and output_tokens are other names
// of input and output. An error comes after the text and the calls beside it;
// a string that is a kind of error is that kind, any other string is the
// message of an invalid_request. Without usage it is estimated.
//
// # Contract
//
//   - Lines are given to requests by an [Assigner] that folds the session's
//     ModelRequested events in stream order: each takes the first line not yet
//     taken whose tier, track, ticket and contains match. Every process and
//     every restart computes the same.
//   - contains is a substring of the newest message, as llm.Newest has it.
//   - A line plays the same way each time it is played.
package script
