//go:build !linux && !darwin

package bus

// bootID names this run of the machine; empty if the system does not tell.
func bootID() string { return "" }
