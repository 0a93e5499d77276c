// Package llm is the provider-neutral interface to models: one request, one stream of chunks, and
// a few kinds of error. Each vendor has a package below this one, the only place that knows the
// vendor's terms.
//
// # Contract
//
//   - [Assemble] builds a [Request] from a recorded manifest. The same
//     manifest and the same bytes give the same [Request.Wire], so its digest
//     proves that a prompt is the same.
//   - A [Provider] makes exactly one attempt: it never retries, because every
//     attempt is an event of the engine. Each of its errors is an [*Error]
//     whose kind says what to do.
//   - A stream ends with [Finish] or with an error. One that just stops is an
//     error of the kind incomplete, whatever the vendor's library says.
//   - [Collect] turns a stream into a [Reply] within the limits below. A tool
//     call whose arguments are not one whole JSON object is marked malformed
//     and is never run.
//   - [Block] and [Chunk] are closed sets of plain values: a switch over their
//     types covers all cases.
//
// The package does no I/O, reads no clock and imports only the event types. A text delta may end
// in the middle of a character.
package llm
