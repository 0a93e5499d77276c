package clitest

import "syscall"

// end ends a fake without os.Exit, at which the race detector would sleep for a second: test
// settings do not reach the programs of providers.
func end(status int) { syscall.Exit(status) }
