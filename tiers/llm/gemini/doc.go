// Package gemini speaks to Google's Gemini models through the Gemini Developer API.
//
// # Contract
//
//   - [Provider.Body] is a pure function and returns exactly what Stream sends.
//   - A reply that holds a thought signature is kept verbatim, part for part as
//     the server sent it, and goes back only to the same model. For another
//     model its text and calls are sent. See
//     https://ai.google.dev/gemini-api/docs/thought-signatures.
//   - A reply is complete if a chunk named a finish reason and the stream then
//     ended. Usage is cumulative: the last one counts.
//   - One request is one attempt: nothing is retried or continued.
//
// The package reads and writes the API's JSON itself. Google's Go SDK loses unknown fields and the
// digits of numbers, which must go back to the model unchanged, and panics at values of unexpected
// types (ADR 103).
package gemini
