// Package access controls who may use the gateway: its loopback address, the number of connections, the hosts and
// origins that a request may name, and the right that a token grants. It knows nothing about routes or sessions.
package access
