package app

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"manualslop/tools"
)

// monitor measures this process.
type monitor struct {
	mu    sync.Mutex
	begun time.Time
	at    time.Time     // of the last look
	used  time.Duration // processor time at the last look
}

func newMonitor() *monitor {
	now := time.Now()
	return &monitor{begun: now, at: now, used: processorTime()}
}

// look gives the figures of now; the share of the processor is that since the last look.
func (m *monitor) look(context.Context) (tools.Performance, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, used := time.Now(), processorTime()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	p := tools.Performance{
		MemoryBytes: residentMemory(int64(memory.Sys)), HeapBytes: int64(memory.HeapAlloc),
		Goroutines: runtime.NumGoroutine(), UptimeS: now.Sub(m.begun).Seconds(),
	}
	if passed := now.Sub(m.at); passed > 0 {
		p.CPUPercent = 100 * float64(used-m.used) / float64(passed)
	}
	m.at, m.used = now, used
	return p, nil
}

// residentMemory is what the kernel says, or otherwise where there is no such kernel.
func residentMemory(otherwise int64) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return otherwise
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return otherwise
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return otherwise
	}
	return pages * int64(os.Getpagesize())
}
