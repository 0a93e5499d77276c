//go:build !linux

package site

// shield does nothing here: only Linux lets a process ask for it.
func Shield() {}
