package engine

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

const (
	// smallProgram is the amount of memory that the program may always take from the system.
	smallProgram = 96 << 20
	// garbageLook is how often the memory is checked.
	garbageLook = 250 * time.Millisecond
	// quietBytes is the most that an idle process allocates between two checks, and quietLooks is how many quiet
	// checks in a row end a piece of work.
	quietBytes = 1 << 20
	quietLooks = 48
	// workBytes is the least that a piece of work allocates.
	workBytes = 16 << 20
	// quietGarbage and busyGarbage are the amounts of garbage at which an idle and a busy process collect it, in
	// percent of the live heap. The second is the runtime's default; an idle process produces little garbage, so
	// collecting it early costs little time.
	quietGarbage = 10
	busyGarbage  = 100

	metricLive      = "/gc/heap/live:bytes"
	metricAllocated = "/gc/heap/allocs:bytes"
)

// boundGarbage keeps the memory of this process close to its live heap until ctx ends. By default the runtime lets
// garbage grow to the size of the live heap, and keeps memory of a burst for minutes. GOMEMLIMIT and GOGC are
// respected if they are set.
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

// memoryLimit returns a soft limit for a program with a live heap of this size. It always leaves room: with a limit
// close to the live heap the processors would collect garbage all the time.
func memoryLimit(live int64) int64 { return max(smallProgram, live+live/4*3) }

// differs reports whether a limit is worth setting: setting it stops the program for a moment.
func differs(want, set int64) bool { return max(want-set, set-want) > set/16 }

// work detects, from the allocations of a process, when a piece of work has ended.
type work struct {
	seen  uint64 // allocated at the last check
	bytes uint64 // allocated by the work
	quiet int    // quiet checks since then
}

// idle reports whether the process has been quiet long enough to end a piece of work.
func (w *work) idle() bool { return w.quiet >= quietLooks }

// ended makes the next check. It returns true once after each piece of work.
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

// returnMemory returns pages of the heap that only the ended work needed to the system.
func returnMemory() {
	// The first collection makes the server put the unused buffers of its blocks into a pool. The next two empty the
	// pool.
	runtime.GC()
	runtime.GC()
	debug.FreeOSMemory()
}
