// Package transport carries one attempt at a model's reply over HTTP, the same
// way for every vendor. It is below the vendors' SDKs, as the RoundTripper of
// the client that they are given, because all of them are lenient where an
// attempt must fail.
//
// # Contract
//
//   - [Begin] makes the transport of one attempt; [Call.Client] is for the SDK.
//     With [Options.Body] the request carries those bytes and no others.
//   - No redirect is followed. An answer that is no success is a [*Status]
//     with its bounded body and its Retry-After.
//   - An answer that should stream and is no event stream, such as a proxy's
//     page under status 200, is an error.
//   - Headers, bodies and silence are bounded: a stream that brings no byte for
//     [FirstContent] before its first content, or for [Silence] behind it, is
//     given up, and so is one that has not ended after [Longest].
//   - Event streams reach the SDK without comments, with plain line feeds and
//     not compressed.
//   - [Call.Error] turns whatever the SDK said into an [*llm.Error] that never
//     holds the key. What happened here counts more than what the SDK made of
//     it.
//
// A stream that ends early but cleanly is not seen here: only the vendor's end
// marker tells, and each adapter demands it. Nothing is retried.
package transport
