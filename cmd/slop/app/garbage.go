package app

import (
	"context"
	"os"
	"runtime/debug"
	"time"
)

const (
	// smallProgram is how much memory the program may always take from the system.
	smallProgram = 144 << 20
	// garbageLook is how often the limit is set anew.
	garbageLook = 250 * time.Millisecond

	metricLive = "/gc/heap/live:bytes"
)

// boundGarbage keeps the memory of this process near what lives in it until ctx
// ends. Left alone, the runtime lets garbage grow to as much again, and keeps for
// minutes what a burst took. A limit of GOMEMLIMIT stands.
func boundGarbage(ctx context.Context) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	tick := time.NewTicker(garbageLook)
	defer tick.Stop()
	for {
		debug.SetMemoryLimit(memoryLimit(int64(readMetrics(metricLive)[metricLive])))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// memoryLimit is a soft limit for a program in which so many bytes live. It
// always leaves room: a limit near what lives would have the processors collect
// garbage all the time.
func memoryLimit(live int64) int64 { return max(smallProgram, live+live/4*3) }
