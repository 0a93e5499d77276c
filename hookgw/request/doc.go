// Package request handles every request of the gateway the same way: place, route, right, query, body, handler,
// record. A [Call] is one request, with what a handler may do: read the read models ([Call.Read], [Call.Show]),
// publish in the user's name ([Call.PublishAsPerson], [Call.PublishChecked]), and answer ([Call.Reply]). A [Core]
// holds what all requests share. The package has no routes of its own.
//
// # Contract
//
//   - A write is answered after the read models have applied it.
//   - What a client sends is limited by [Limits], and masked before it is recorded.
//   - Every request that published something or was refused leaves one HookCalled,
//     as far as the rate allows.
package request
