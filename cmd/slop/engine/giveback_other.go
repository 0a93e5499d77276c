//go:build !linux

package engine

// unmapProgram does nothing where nobody says which pages are mapped unchanged.
func unmapProgram() error { return nil }
