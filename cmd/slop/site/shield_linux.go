package site

import "golang.org/x/sys/unix"

// Shield keeps other processes of the same user, such as scripts that models
// write, from reading this one's environment and memory, where keys of models
// are. A kernel that refuses leaves things as they are.
func Shield() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
