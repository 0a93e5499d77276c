package engine

import (
	"bytes"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"manualslop/hookgw/wire"
)

// sampler measures this process. Its name is set before the first sample. A sample takes about 20 µs and does not
// pause the program, since runtime/metrics needs no pause.
type sampler struct {
	name    string // this process as an actor
	host    string
	started time.Time

	mu   sync.Mutex
	at   time.Time     // of the last sample
	used time.Duration // processor time at the last sample
}

func newSampler() *sampler {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	now := time.Now()
	return &sampler{host: clipHost(host), started: now, at: now, used: ProcessorTime()}
}

// clipHost shortens a machine's name and makes it printable.
func clipHost(name string) string { return strings.ToValidUTF8(name[:min(len(name), 64)], "") }

// Names of runtime metrics.
const (
	metricHeap       = "/memory/classes/heap/objects:bytes"
	metricTotal      = "/memory/classes/total:bytes"
	metricGoroutines = "/sched/goroutines:goroutines"
	metricGCCycles   = "/gc/cycles/total:gc-cycles"
	metricGCSeconds  = "/cpu/classes/gc/total:cpu-seconds"
	metricMemLimit   = "/gc/gomemlimit:bytes"
)

// sample returns the current figures, including the processor share since the last sample.
func (s *sampler) sample() (wire.ProcessFigures, wire.GCFigures) {
	m := readMetrics(metricHeap, metricTotal, metricGoroutines, metricGCCycles, metricGCSeconds, metricMemLimit)
	status := kernelFigures()
	s.mu.Lock()
	defer s.mu.Unlock()
	now, used := time.Now(), ProcessorTime()
	p := wire.ProcessFigures{
		Name: s.name, Host: s.host, PID: os.Getpid(), Started: s.started, Sampled: now,
		MemoryBytes: int64(m[metricTotal]), HeapBytes: int64(m[metricHeap]), Goroutines: int(m[metricGoroutines]),
		Threads: status.threads,
	}
	if status.resident > 0 {
		p.MemoryBytes = status.resident
	}
	if passed := now.Sub(s.at); passed > 0 {
		p.CPUPercent = 100 * float64(used-s.used) / float64(passed)
	}
	s.at, s.used = now, used
	gc := wire.GCFigures{Cycles: uint64(m[metricGCCycles]), CPUSeconds: m[metricGCSeconds]}
	if limit := m[metricMemLimit]; limit < 1<<62 { // no limit is set
		gc.LimitBytes = int64(limit)
	}
	return p, gc
}

// readMetrics reads runtime metrics by name; unknown ones are 0.
func readMetrics(names ...string) map[string]float64 {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	out := make(map[string]float64, len(names))
	for _, s := range samples {
		switch s.Value.Kind() {
		case metrics.KindUint64:
			out[s.Name] = float64(s.Value.Uint64())
		case metrics.KindFloat64:
			out[s.Name] = s.Value.Float64()
		}
	}
	return out
}

// kernel holds the kernel's figures of this process; zero if there are none.
type kernel struct {
	resident int64
	threads  int
}

// kernelFigures reads /proc/self/stat. The fields after the name in parentheses are fixed: threads are the 18th after
// it, resident pages the 22nd.
func kernelFigures() kernel {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return kernel{}
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 22 {
		return kernel{}
	}
	threads, terr := strconv.Atoi(string(fields[17]))
	pages, perr := strconv.ParseInt(string(fields[21]), 10, 64)
	if terr != nil || perr != nil {
		return kernel{}
	}
	return kernel{resident: pages * int64(os.Getpagesize()), threads: threads}
}
