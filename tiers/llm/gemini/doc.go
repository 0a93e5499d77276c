// Package gemini speaks to Google's Gemini models through the Gemini Developer
// API, in the words of the neutral language.
//
// # Contract
//
//   - [Provider.Body] is a pure function and what Stream sends to the byte; the
//     SDK's own body is replaced on its way.
//   - A reply that holds a thought signature is kept verbatim, part for part as
//     the server sent it, and goes back only to the same model. For another
//     model its text and calls are sent. See
//     https://ai.google.dev/gemini-api/docs/thought-signatures.
//   - A reply is whole when a chunk named a finish reason and the stream then
//     ended. Usage is cumulative, the last one counts.
//   - One request is one attempt: the SDK's retries and its continuations,
//     which are on by default, are off.
//
// # Traps of google.golang.org/genai v1.77.0
//
// It panics at a chunk whose values are of other types than it expects and at a
// body of null, and loses unknown fields and the digits of numbers; so events
// are read beside it and it sees empty ones. It writes read errors to the
// standard logger, so it never sees one. It fails on every line of an event
// stream that is not "data:". It takes the key from the environment where it is
// given none, so an attempt without a key never reaches it; and where both
// GOOGLE_API_KEY and GEMINI_API_KEY are set it says so on the standard logger,
// which cannot be turned off without touching that logger.
package gemini
