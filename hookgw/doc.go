// Package hookgw is the gateway: it serves the Hook API over HTTP from the read
// models and turns writes into events.
//
// # Contract
//
//   - The gateway has no state of its own. Its answers are a fold of the log;
//     what clients send becomes an event. Two gateways on one log agree.
//   - After a write is answered, every later read on any connection sees it.
//   - An answer is published under the user's own connection, an ask that came
//     with the ask token under an agent's, everything else under "gateway".
//   - Every failure of any part of an ask means no.
//   - It listens on loopback only and trusts no page and no process because of
//     where it runs: the names in Host, Origin and Sec-Fetch-Site are checked
//     on every method, there are no CORS headers, and every right needs a token.
//   - Everything has a limit ([request.Limits]); beyond it there is a clear error.
//   - Every error is one JSON object with "error" and "hint".
//
// # Packages
//
// access controls who may use the gateway, request handles every request and
// defines what a handler may do, and problem holds the errors for clients. feed
// implements live feeds, program reports on the program itself, and openapi
// describes the contract. The routes are in one package per subject; this package
// joins them (routes.go) and runs the gateway (gateway.go).
//
// # Adding a route
//
// A route is a row in the table of its package: method, pattern, right, handler,
// one sentence, and values of the types that it takes and gives, from which
// docs/hooks.md and docs/openapi.yaml are made. Access checks, parsing and
// recording are the same for all. Export types of answers that the client has, too.
package hookgw
