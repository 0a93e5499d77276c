package engine

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/hookgw/program"
	"manualslop/hookgw/wire"
)

// Limits of the board.
const (
	// signalLife is how long a sample or a report is shown if no other one follows.
	signalLife = 5 * time.Second
	// maxProcesses limits the processes that are shown.
	maxProcesses = 256
	// maxFrontEnds limits the front ends that may report.
	maxFrontEnds = 8
	// maxSampleBytes is the largest signal that is read.
	maxSampleBytes = 4 << 10
)

// sample is a process's report about itself, sent as a signal. The process that follows the log adds the state of the
// log.
type sample struct {
	wire.ProcessFigures
	Log *logFigures `json:"log,omitempty"`
}

// logFigures are the state of the log, as a gateway sees it.
type logFigures struct {
	EventsPerS float64 `json:"events_per_s"`
	Lag        uint64  `json:"projection_lag"`
	Waiting    uint64  `json:"queue_depth"`
}

// board collects samples and reports for display. It is not stored: after the start of a process it is empty for about
// a second.
type board struct {
	clock func() time.Time

	mu        sync.Mutex
	processes map[string]heard[sample] // by actor, host and process number
	fronts    map[string]heard[wire.Frame]
}

// heard is the newest value from one sender, and its arrival time by this machine's clock.
type heard[T any] struct {
	word T
	at   time.Time
}

func newBoard(clock func() time.Time) *board {
	return &board{clock: clock, processes: map[string]heard[sample]{}, fronts: map[string]heard[wire.Frame]{}}
}

// hear handles a signal. It drops anything that is not a sample of a role or a valid report of a front end; senders
// do not wait for an answer.
func (p *board) hear(actor, name string, body []byte) {
	if len(body) > maxSampleBytes {
		return
	}
	switch name {
	case signalSample:
		var s sample
		if !events.IsPerson(actor) && !events.IsAgent(actor) && json.Unmarshal(body, &s) == nil && s.sound() {
			s.Name, s.Host = actor, clipHost(s.Host)
			p.show(s)
		}
	case signalFrame:
		var f wire.Frame
		if (actor == events.ActorGateway || events.IsPerson(actor)) && json.Unmarshal(body, &f) == nil && soundFrame(f) {
			_ = p.report(f) // beyond the limit it is dropped
		}
	}
}

// show stores a sample. Beyond maxProcesses, new processes are dropped.
func (p *board) show(s sample) {
	key := s.Name + " " + s.Host + " " + strconv.Itoa(s.PID)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	expire(p.processes, now)
	if _, known := p.processes[key]; known || len(p.processes) < maxProcesses {
		p.processes[key] = heard[sample]{s, now}
	}
}

// report stores a front end's measurements. It returns program.ErrFrontEnds beyond maxFrontEnds.
func (p *board) report(f wire.Frame) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	expire(p.fronts, now)
	if _, known := p.fronts[f.Name]; !known && len(p.fronts) >= maxFrontEnds {
		return program.ErrFrontEnds
	}
	p.fronts[f.Name] = heard[wire.Frame]{f, now}
	return nil
}

func expire[T any](m map[string]heard[T], now time.Time) {
	// order-independent: each entry is kept or dropped independently.
	for key, h := range m {
		if now.Sub(h.at) > signalLife {
			delete(m, key)
		}
	}
}

// sound reports whether a sample is plausible.
func (s *sample) sound() bool {
	ok := possible(s.CPUPercent) && min(s.MemoryBytes, s.HeapBytes, int64(s.Goroutines), int64(s.Threads),
		int64(s.PID)) >= 0
	return ok && s.MemoryBytes < 1<<50 && s.HeapBytes < 1<<50 && (s.Log == nil || possible(s.Log.EventsPerS))
}

func soundFrame(f wire.Frame) bool {
	for _, v := range []*float64{f.FPS, f.FrameTimeMS, f.InputLagMS} {
		if v != nil && !possible(*v) {
			return false
		}
	}
	return f.Name == "" || events.ValidToken(f.Name)
}

func possible(v float64) bool { return v >= 0 && v <= 1e9 && !math.IsNaN(v) }

// all lists the processes with a current sample, by actor and host.
func (p *board) all() []sample {
	p.mu.Lock()
	expire(p.processes, p.clock())
	out := make([]sample, 0, len(p.processes))
	// order-independent: sorted below.
	for _, h := range p.processes {
		out = append(out, h.word)
	}
	p.mu.Unlock()
	slices.SortFunc(out, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID))
	})
	return out
}

// reporting lists the front ends that report, by name.
func (p *board) reporting() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	expire(p.fronts, p.clock())
	out := make([]string, 0, len(p.fronts))
	// order-independent: sorted below.
	for name := range p.fronts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// front returns the newest report, or nil if there is none.
func (p *board) front() *wire.Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	expire(p.fronts, p.clock())
	var newest *heard[wire.Frame]
	// order-independent: there is one newest report, and names break ties.
	for _, h := range p.fronts {
		if newest == nil || h.at.After(newest.at) || h.at.Equal(newest.at) && h.word.Name < newest.word.Name {
			newest = &h
		}
	}
	if newest == nil {
		return nil
	}
	return &newest.word
}

// performance adds up the samples of the program's processes.
func (p *board) performance() wire.Performance {
	var out wire.Performance
	if f := p.front(); f != nil {
		out.FPS, out.FrameTimeMS, out.LastFrameTimeMS, out.InputLagMS, out.FrontEnd = f.FPS, f.FrameTimeMS, f.FrameTimeMS,
			f.InputLagMS, &f.Name
	}
	all := p.all()
	out.Processes = len(all)
	if len(all) == 0 {
		return out
	}
	var sum wire.ProcessFigures
	uptime := 0.0
	var newest time.Time
	for i := range all {
		s := &all[i]
		sum.CPUPercent += s.CPUPercent
		sum.MemoryBytes += s.MemoryBytes
		sum.HeapBytes += s.HeapBytes
		sum.Goroutines += s.Goroutines
		sum.Threads += s.Threads
		uptime = max(uptime, s.Sampled.Sub(s.Started).Seconds())
		if s.Log != nil && s.Sampled.After(newest) {
			newest = s.Sampled
			out.EventsPerS, out.ProjectionLag, out.QueueDepth = &s.Log.EventsPerS, &s.Log.Lag, &s.Log.Waiting
		}
	}
	out.CPUPercent, out.MemoryBytes, out.HeapBytes = &sum.CPUPercent, &sum.MemoryBytes, &sum.HeapBytes
	out.Goroutines, out.Threads, out.UptimeS = &sum.Goroutines, &sum.Threads, &uptime
	return out
}
