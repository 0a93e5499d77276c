// Package hookgw is the gateway: it serves the Hook API over HTTP from the read
// models and turns what is written into events.
//
// # Contract
//
//   - The gateway has no state of its own. What it answers is a fold of the log;
//     what it is told becomes an event. Two gateways on one log agree.
//   - After a write was answered, every later read on any connection sees it.
//   - An answer is published under the person's own connection, an ask that came
//     with the ask token under an agent's, everything else under "gateway".
//   - Every failure of any part of an ask means no.
//   - It listens on loopback only and trusts no page and no process because of
//     where they are: the names in Host, Origin and Sec-Fetch-Site are checked
//     on every method, there are no CORS headers, and every right is a token.
//   - Everything has a limit ([request.Limits]); over it there is a clear error.
//   - Every error is one JSON object with "error" and "hint".
//
// # Rooms
//
// access says who may come in, request how every request is taken and what a
// handler may do, problem what a client is told of an error. feed is what live
// feeds are made of, program what the process tells of itself, openapi how the
// contract is written down. Here are all other routes and their handlers, and what
// a gateway keeps for them (gateway.go).
//
// # Adding a route
//
// A route is a row of its group in routes_GROUP.go, here or in program: method, pattern, right, handler,
// one sentence, and values of the types that it takes and gives, from which
// docs/hooks.md and docs/openapi.yaml are made. Guarding, parsing and recording are
// the same for all. Types of answers are exported where the client has them, too.
package hookgw
