package engine

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

const (
	// smallProgram is how much memory the program may always take from the system.
	smallProgram = 96 << 20
	// garbageLook is how often memory is looked at.
	garbageLook = 250 * time.Millisecond
	// quietBytes is what an idle process allocates at most between two looks, and
	// quietLooks how many quiet looks in a row end a piece of work.
	quietBytes = 1 << 20
	quietLooks = 48
	// workBytes is what a piece of work allocates at least.
	workBytes = 16 << 20
	// quietGarbage and busyGarbage are how large garbage grows in an idle and in a busy
	// process before it is collected, in percent of what lives. The second is what
	// the runtime does by itself; an idle process makes little garbage, so collecting
	// it early costs little time.
	quietGarbage = 10
	busyGarbage  = 100

	metricLive      = "/gc/heap/live:bytes"
	metricAllocated = "/gc/heap/allocs:bytes"
)

// boundGarbage keeps the memory of this process near what lives in it until ctx
// ends. Left alone, the runtime lets garbage grow to as much again, and keeps for
// minutes what a burst took. GOMEMLIMIT and GOGC stand where they are set.
func boundGarbage(ctx context.Context) {
	limited, collected := os.Getenv("GOMEMLIMIT") == "", os.Getenv("GOGC") == ""
	if limited {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	}
	if collected {
		defer debug.SetGCPercent(busyGarbage)
	}
	tick := time.NewTicker(garbageLook)
	defer tick.Stop()
	var limit int64
	var w work
	for {
		now := readMetrics(metricLive, metricAllocated)
		if want := memoryLimit(int64(now[metricLive])); limited && differs(want, limit) {
			limit = want
			debug.SetMemoryLimit(limit)
		}
		was := w.idle()
		if w.ended(uint64(now[metricAllocated])) {
			returnMemory()
		}
		switch idle := w.idle(); {
		case !collected || idle == was:
		case idle:
			debug.SetGCPercent(quietGarbage)
		default:
			debug.SetGCPercent(busyGarbage)
		}
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

// differs tells whether a limit is worth setting: it stops the program for a
// moment.
func differs(want, set int64) bool { return max(want-set, set-want) > set/16 }

// Work notices from what a process has allocated when a piece of work has ended.
type work struct {
	seen  uint64 // allocated at the newest look
	bytes uint64 // allocated by the work
	quiet int    // looks since
}

// idle tells whether the process has been quiet for as long as ends a piece of work.
func (w *work) idle() bool { return w.quiet >= quietLooks }

// ended takes the next look. It is true once behind each piece of work.
func (w *work) ended(allocated uint64) bool {
	fresh := allocated - w.seen
	w.seen = allocated
	if fresh > quietBytes {
		w.bytes += fresh
		w.quiet = 0
		return false
	}
	if w.quiet++; !w.idle() || w.bytes < workBytes {
		return false
	}
	w.bytes = 0
	return true
}

// returnMemory returns pages of the heap to the system that only ended work needed.
func returnMemory() {
	// The first collection has the server put the buffers of its blocks, which nobody reads any more, into a pool.
	// The next two empty the pool.
	runtime.GC()
	runtime.GC()
	debug.FreeOSMemory()
}
