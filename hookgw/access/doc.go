// Package access is the way into the gateway: the one address on loopback that it
// listens on, how many connections it takes, which names and origins a request may
// carry, and what right its token gives. It knows no route and no session.
package access
