//go:build !linux

package app

// shield does nothing here: only Linux lets a process ask for it.
func shield() {}
