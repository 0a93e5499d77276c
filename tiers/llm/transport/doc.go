// Package transport carries one attempt at a model's reply over HTTP, in the same way for every
// vendor. It is the RoundTripper of the client that the vendors' SDKs use, because all SDKs
// tolerate answers that must fail an attempt.
//
// # Contract
//
//   - [Begin] returns the transport for one attempt; [Call.Client] is for the
//     SDK. With [Options.Body] the request has exactly that body.
//   - Redirects are never followed. A response without a success status gives a
//     [*Status] with its bounded body and its Retry-After.
//   - If a stream was requested, an answer that is not an event stream, such as
//     a proxy's page with status 200, is an error.
//   - Headers, bodies and silence are bounded. A stream is given up if it delivers no byte for
//     [FirstContent] before its first content or for [Silence] afterwards, or if it has not
//     ended after [Longest].
//   - Event streams reach the SDK uncompressed, without comments and with plain
//     line feeds.
//   - [Call.Error] converts any error of the SDK to an [*llm.Error] that never
//     holds the key. An error seen here takes precedence over the SDK's.
//
// The transport cannot detect a stream that ends early but cleanly: only the vendor's end marker
// shows that, and each adapter requires it. Nothing is retried.
package transport
