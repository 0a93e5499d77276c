//go:build !linux && !darwin

package bus

// bootID returns an id of the current boot, or "" if the system does not
// provide one.
func bootID() string { return "" }
