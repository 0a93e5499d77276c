package engine

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/hookgw/wire"
	"manualslop/projections/live"
	"manualslop/tools"
)

// Names of the signals that the board shows.
const (
	signalSample = "sample"
	signalFrame  = "frame"
)

// Intervals and limits of measuring.
const (
	sampleEvery = time.Second
	// lookTime limits how long the bus may take to return its figures.
	lookTime = 500 * time.Millisecond
)

// Stats reports how this process and its program are doing, how the process started, and how to stop it.
type Stats struct {
	sampler       *sampler
	board         *board
	StartTasks    *StartTasks
	tasks         *tasks
	ShutdownScope string // what Shutdown ends
	stop          func()
	Asked         atomic.Bool // a stop was requested

	publisher publisher
	project   string

	mu       sync.Mutex
	gc       wire.GCFigures
	log      *logWatch // nil if this process does not follow a log
	bus      *wire.BusFigures
	busError string
}

// publisher is the connection by which this process publishes, and its actor.
type publisher struct {
	conn  *bus.Conn
	actor string
}

// logWatch is a log and the position of the read models in it.
type logWatch struct {
	figures  func(context.Context) (bus.Figures, error)
	newest   func(context.Context) (uint64, error) // sequence of the project's newest event
	position func() uint64
	last     uint64 // sequence of the log's newest event at the last check
	own      uint64 // what newest returned then
	at       time.Time
}

// ask returns the log's figures and the sequence of the project's newest event. While the log does not grow it does
// not read that event again: the server keeps 8 MiB of the log in memory until there was no read for ten seconds.
func (w *logWatch) ask(ctx context.Context) (f bus.Figures, own uint64, err error) {
	if f, err = w.figures(ctx); err != nil || f.LastSeq == w.last && !w.at.IsZero() {
		return f, w.own, err
	}
	own, err = w.newest(ctx)
	return f, own, err
}

// newStats returns the Stats of a process that stop stops. Its scope is that of a gateway alone until ShutdownScope
// is changed.
func newStats(project string, began *StartTasks, stop func()) *Stats {
	measured := newSampler()
	measured.started = began.begun
	return &Stats{sampler: measured, board: newBoard(time.Now), StartTasks: began, tasks: &tasks{},
		ShutdownScope: events.ShutdownGateway, stop: stop, project: project}
}

// watch also measures the log, by a connection that may read it, and the position of the read models in it.
func (v *Stats) watch(conn *bus.Conn, models *live.Live) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.log = &logWatch{
		figures:  func(ctx context.Context) (bus.Figures, error) { return conn.Figures(ctx, v.project) },
		newest:   func(ctx context.Context) (uint64, error) { return conn.Last(ctx, events.Filter{Project: v.project}) },
		position: models.Position,
	}
}

// follow measures, receives and publishes until ctx ends.
func (v *Stats) follow(ctx context.Context) {
	var listening sync.WaitGroup
	for _, name := range []string{signalSample, signalFrame} {
		listening.Go(func() { v.listen(ctx, name) })
	}
	defer listening.Wait()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		v.tell(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// listen shows signals of a name until ctx ends. A broken subscription is opened again; signals sent meanwhile are
// lost.
func (v *Stats) listen(ctx context.Context, name string) {
	for ctx.Err() == nil {
		_ = v.publisher.conn.Signals(ctx, bus.Signal{Project: v.project, Session: "-", Name: name}, func(s bus.Signal) {
			v.board.hear(s.Actor, s.Name, s.Body)
		})
		rest(ctx, sampleEvery)
	}
}

// tell measures once, shows the sample here and publishes it. A lost signal does not matter, because the next one
// follows soon.
func (v *Stats) tell(ctx context.Context) {
	var s sample
	var gc wire.GCFigures
	s.ProcessFigures, gc = v.sampler.sample()
	s.Log = v.look(ctx)
	v.mu.Lock()
	v.gc = gc
	v.mu.Unlock()
	v.board.show(s)
	if body, err := json.Marshal(s); err == nil {
		_ = v.publisher.conn.Signal(ctx, v.project, "", v.publisher.actor, signalSample, body)
	}
}

// look asks the bus for the state of the log. It returns nil if this process follows no log or the bus does not
// answer.
func (v *Stats) look(ctx context.Context) *logFigures {
	v.mu.Lock()
	w := v.log
	v.mu.Unlock()
	if w == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	position := w.position()
	f, own, err := w.ask(ctx)
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.bus, v.busError = nil, err.Error()
		return nil
	}
	out := &logFigures{}
	shown := busFigures(f, now)
	for _, p := range f.Pools {
		out.Waiting += p.Waiting
	}
	if own > position {
		out.Lag = own - position
	}
	if passed := now.Sub(w.at).Seconds(); !w.at.IsZero() && passed > 0 && f.LastSeq >= w.last {
		out.EventsPerS = float64(f.LastSeq-w.last) / passed
	}
	shown.EventsPerS = &out.EventsPerS
	w.last, w.own, w.at = f.LastSeq, own, now
	v.bus, v.busError = &shown, ""
	return out
}

func busFigures(f bus.Figures, at time.Time) wire.BusFigures {
	out := wire.BusFigures{
		Sampled: at, Messages: f.Messages, Bytes: f.Bytes, BudgetBytes: f.Budget, FirstSeq: f.FirstSeq, LastSeq: f.LastSeq,
		Consumers: f.Consumers, Pools: []wire.PoolFigures{},
	}
	for _, p := range f.Pools {
		out.Pools = append(out.Pools, wire.PoolFigures{Name: p.Name, Waiting: p.Waiting, Running: p.Running,
			Redelivered: p.Redelivered})
	}
	return out
}

// tool returns the performance read model in the form of the tool.
func (v *Stats) tool(context.Context) (tools.Performance, error) {
	return toolFigures(v.Performance()), nil
}

// OwnPerformance measures a process that is not part of an engine.
func OwnPerformance() func(context.Context) (tools.Performance, error) {
	s := newSampler()
	return func(context.Context) (tools.Performance, error) {
		figures, _ := s.sample()
		p := newBoard(time.Now)
		p.show(sample{ProcessFigures: figures})
		return toolFigures(p.performance()), nil
	}
}

// toolFigures converts figures to the form that the tool returns. p has the figures of at least one process.
func toolFigures(p wire.Performance) tools.Performance {
	return tools.Performance{
		FPS: p.FPS, FrameTimeMS: p.FrameTimeMS, InputLagMS: p.InputLagMS, CPUPercent: *p.CPUPercent,
		MemoryBytes: *p.MemoryBytes, HeapBytes: *p.HeapBytes, Goroutines: *p.Goroutines, UptimeS: *p.UptimeS,
	}
}
