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

// Names of the signals of which the board is made.
const (
	signalSample = "sample"
	signalFrame  = "frame"
)

// Times of measuring.
const (
	sampleEvery = time.Second
	// lookTime bounds how long the bus may take to give its figures.
	lookTime = 500 * time.Millisecond
)

// Stats is how this process and the program that it is part of are doing, how
// it started, and how it is stopped.
type Stats struct {
	sampler       *sampler
	board         *board
	StartTasks    *StartTasks
	tasks         *tasks
	ShutdownScope string // what shutdown ends
	stop          func()
	Asked         atomic.Bool // somebody asked to stop

	publisher publisher
	project   string

	mu       sync.Mutex
	gc       wire.GCFigures
	log      *logWatch // nil: this process follows no log
	bus      *wire.BusFigures
	busError string
}

// publisher is the connection by which this process speaks, as which actor.
type publisher struct {
	conn  *bus.Conn
	actor string
}

// logWatch is a log and how far the read models are on it.
type logWatch struct {
	figures  func(context.Context) (bus.Figures, error)
	newest   func(context.Context) (uint64, error) // sequence of the project's newest event
	position func() uint64
	last     uint64 // sequence of the log's newest event at the last look
	own      uint64 // what newest said then
	at       time.Time
}

// ask returns the log's figures and the sequence of the project's newest event.
// While the log stands still it does not read that event again: the server
// keeps 8 MiB of the log in memory until nobody reads there for ten seconds.
func (w *logWatch) ask(ctx context.Context) (f bus.Figures, own uint64, err error) {
	if f, err = w.figures(ctx); err != nil || f.LastSeq == w.last && !w.at.IsZero() {
		return f, w.own, err
	}
	own, err = w.newest(ctx)
	return f, own, err
}

// newStats is of a process that stops with stop; until it is told otherwise it
// runs a gateway alone.
func newStats(project string, began *StartTasks, stop func()) *Stats {
	measured := newSampler()
	measured.started = began.begun
	return &Stats{sampler: measured, board: newBoard(time.Now), StartTasks: began, tasks: &tasks{},
		ShutdownScope: events.ShutdownGateway, stop: stop, project: project}
}

// watch measures the log too, by a connection that may read it, and how far the
// read models are on it.
func (v *Stats) watch(conn *bus.Conn, models *live.Live) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.log = &logWatch{
		figures:  func(ctx context.Context) (bus.Figures, error) { return conn.Figures(ctx, v.project) },
		newest:   func(ctx context.Context) (uint64, error) { return conn.Last(ctx, events.Filter{Project: v.project}) },
		position: models.Position,
	}
}

// follow measures, listens and tells until ctx ends.
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

// listen shows signals of a name until ctx ends. A subscription that broke is
// taken up again; what came meanwhile is gone, as signals are.
func (v *Stats) listen(ctx context.Context, name string) {
	for ctx.Err() == nil {
		_ = v.publisher.conn.Signals(ctx, bus.Signal{Project: v.project, Session: "-", Name: name}, func(s bus.Signal) {
			v.board.hear(s.Actor, s.Name, s.Body)
		})
		rest(ctx, sampleEvery)
	}
}

// tell measures once, shows it here and passes it on. A signal that does not
// get through is followed by the next.
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

// look asks the bus how the log stands; nil where this process follows none, or
// the bus does not answer.
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

// tool is the performance read model in the form of the tool.
func (v *Stats) tool(context.Context) (tools.Performance, error) {
	return toolFigures(v.Performance()), nil
}

// OwnPerformance measures a process that is part of no engine.
func OwnPerformance() func(context.Context) (tools.Performance, error) {
	s := newSampler()
	return func(context.Context) (tools.Performance, error) {
		figures, _ := s.sample()
		p := newBoard(time.Now)
		p.show(sample{ProcessFigures: figures})
		return toolFigures(p.performance()), nil
	}
}

// toolFigures is the form of the tool; p has the figures of a process at least.
func toolFigures(p wire.Performance) tools.Performance {
	return tools.Performance{
		FPS: p.FPS, FrameTimeMS: p.FrameTimeMS, InputLagMS: p.InputLagMS, CPUPercent: *p.CPUPercent,
		MemoryBytes: *p.MemoryBytes, HeapBytes: *p.HeapBytes, Goroutines: *p.Goroutines, UptimeS: *p.UptimeS,
	}
}
