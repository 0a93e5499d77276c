// Package request takes every request of the gateway the same way: place, route,
// right, query, body, handler, record. A [Call] is one of them, with what a handler
// may do: look into the read models ([Call.Read], [Call.Show]), publish in the person's
// name ([Call.PublishAsPerson], [Call.PublishChecked]), and answer ([Call.Reply]). What
// all requests share is a [Core]. It knows no route of its own.
//
// # Contract
//
//   - A write is answered when the read models have passed it.
//   - What a client sends is bounded by [Limits], and masked before it goes on record.
//   - Whatever was published or refused leaves one HookCalled, as far as the rate
//     allows.
package request
