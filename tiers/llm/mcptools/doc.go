// Package mcptools offers the tools of one request to a program that runs an agent's loop, over the
// Model Context Protocol.
//
// # Contract
//
//   - A [Server] belongs to one run of a program. It listens on the loopback
//     interface, accepts only requests with its own token, and offers exactly the tools of the
//     request.
//   - It runs nothing. A call is answered with [Noted] and kept; the provider puts it into the
//     reply, where it is subject to the same rules and asks as a call of any other model, and
//     its result comes in the next prompt. So a program must end its loop after one turn, and
//     no program waits for a person.
//   - A call without the token, from a browser or to another host name never
//     reaches the protocol.
package mcptools
