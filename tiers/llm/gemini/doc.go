// Package gemini speaks to Google's Gemini models through the Gemini Developer
// API, in the words of the neutral language.
//
// # Contract
//
//   - [Provider.Body] is a pure function and what Stream sends to the byte.
//   - A reply that holds a thought signature is kept verbatim, part for part as
//     the server sent it, and goes back only to the same model. For another
//     model its text and calls are sent. See
//     https://ai.google.dev/gemini-api/docs/thought-signatures.
//   - A reply is whole when a chunk named a finish reason and the stream then
//     ended. Usage is cumulative, the last one counts.
//   - One request is one attempt: nothing is retried or continued.
//
// The package reads and writes the JSON of the API itself. Google's Go SDK loses
// unknown fields and the digits of numbers, which have to go back to the model
// as they came, and panics at values of types that it does not expect (ADR 103).
package gemini
