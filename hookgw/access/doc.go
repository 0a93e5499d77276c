// Package access guards the entrance of the gateway: its loopback address, the number of connections, the hosts and
// origins that a request may name, and the right that its token gives. It knows no routes and no sessions.
package access
