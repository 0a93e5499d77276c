//go:build !linux

package chaos

import "errors"

// errNoDisk says why no disk is filled here.
var errNoDisk = errors.New("a small disk can be mounted on Linux only")

func mountDisk(string) error { return errNoDisk }

func unmountDisk(string) error { return nil }

func fillDisk(string) (undo func(), err error) { return nil, errNoDisk }
