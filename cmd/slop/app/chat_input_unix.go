//go:build unix

package app

import (
	"os"
	"os/signal"
	"syscall"
)

// resizes tells when the terminal has another size.
func resizes() <-chan os.Signal {
	out := make(chan os.Signal, 1)
	signal.Notify(out, syscall.SIGWINCH)
	return out
}
