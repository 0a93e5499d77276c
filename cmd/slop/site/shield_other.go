//go:build !linux

package site

// Shield does nothing: only Linux lets a process ask for this protection.
func Shield() {}
