package site

import "golang.org/x/sys/unix"

// Shield keeps other processes of the same user, such as scripts that models write, from reading this process's
// environment and memory, which hold model keys. It does nothing if the kernel does not allow it.
func Shield() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
