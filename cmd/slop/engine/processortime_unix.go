//go:build unix

package engine

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that this process has used so far.
func ProcessorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
