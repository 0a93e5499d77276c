//go:build unix

package app

import (
	"os"
	"os/signal"
	"syscall"
)

// resizes delivers a signal when the size of the terminal changes.
func resizes() <-chan os.Signal {
	out := make(chan os.Signal, 1)
	signal.Notify(out, syscall.SIGWINCH)
	return out
}
