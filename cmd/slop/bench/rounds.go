package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"manualslop/bus"
	"manualslop/bus/rawbus"
	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/events"
)

// Limits of a measurement of whole rounds: the number of alternating blocks in which they and their reference are
// measured, and the rounds of a ticket. With too few rounds for all blocks there are fewer blocks.
const (
	roundBlocks = 5
	roundsLeast = 10
	roundsMost  = 100
)

// roundShape is how many tickets run at once, in how many sessions.
type roundShape struct {
	sessions, tickets int // tickets of each session
	durability        string
}

// atOnce returns the number of concurrent rounds.
func (s roundShape) atOnce() int { return s.sessions * s.tickets }

// blocks returns the number of blocks in which n rounds are measured.
func (s roundShape) blocks(n int) int { return min(max(n/roundsLeast/s.atOnce(), 1), roundBlocks) }

// each returns the number of rounds per ticket, so that all blocks together have n.
func (s roundShape) each(n int) int {
	return min(max(n/s.blocks(n)/s.atOnce(), 2), roundsMost)
}

func (s roundShape) String() string {
	switch {
	case s.sessions > 1:
		return fmt.Sprintf("%d sessions of 1 ticket", s.sessions)
	case s.tickets > 1:
		return fmt.Sprintf("%d tickets", s.tickets)
	}
	return "1 ticket"
}

// roundFigures are the figures of rounds that ran together. A round is a reply of the model, the tool call in it, and
// everything up to the next request; the replies that end tickets are in the times and counts.
type roundFigures struct {
	rounds  int
	appends int // events of all kinds
	data    int // bytes of their data
	wall    time.Duration
	used    time.Duration   // processor time of this process
	times   []time.Duration // of single rounds
}

// perSecond returns the rounds per second.
func (f roundFigures) perSecond() float64 { return float64(f.rounds) / f.wall.Seconds() }

// processor returns the processor time of a round in milliseconds.
func (f roundFigures) processor() float64 {
	return float64(f.used.Microseconds()) / 1e3 / float64(f.rounds)
}

// figuresOf uses the part between the first request of a contributor and the end of the last ticket.
func figuresOf(all []seen) roundFigures {
	var f roundFigures
	first, last := -1, -1
	began := map[string]time.Time{} // by session and ticket
	for i, e := range all {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			if p.Tier != 3 {
				continue
			}
			if first < 0 {
				first = i
			}
			key := e.Session + " " + p.Ticket
			if at, again := began[key]; again {
				f.times = append(f.times, e.at.Sub(at))
			}
			began[key] = e.at
		case events.ToolSettled:
			f.rounds++
		case events.TicketCompleted:
			last = i
		}
	}
	if first < 0 || last < first {
		return f
	}
	for _, e := range all[first : last+1] {
		f.data += len(e.Data)
	}
	f.appends, f.wall, f.used = last-first+1, all[last].at.Sub(all[first].at), all[last].used-all[first].used
	return f
}

// roundsOn runs goals whose rounds have the given shape in the sessions of its workers.
type roundsOn struct {
	*Workers
	sessions []engine.SessionWriter
}

// startRounds starts workers with a script for the given number of goals of a shape.
func startRounds(ctx context.Context, root string, s roundShape, model benchScript, off engine.Causes) (*roundsOn,
	error) {
	model.tickets = s.tickets
	script, err := model.parse()
	if err != nil {
		return nil, err
	}
	m, err := StartWorkers(ctx, WorkersPlan{root: root, script: script, off: off, lines: model.lines,
		change: func(c *config.Config) {
			c.Bus.Durability, c.MMA.MaxWorkers = s.durability, s.tickets
			three := c.Tiers["3"]
			three.MaxRounds = events.MaxRounds
			c.Tiers["3"] = three
		}})
	if err != nil {
		return nil, err
	}
	r := &roundsOn{m, []engine.SessionWriter{m.writer}}
	for len(r.sessions) < s.sessions {
		v, err := m.openFree(m.Ctx)
		if err != nil {
			_ = m.Close()
			return nil, err
		}
		r.sessions = append(r.sessions, v)
	}
	return r, nil
}

// goal lets each session reach its next goal.
func (r *roundsOn) goal() (roundFigures, error) {
	all, err := r.reachAll(r.sessions, "read")
	return figuresOf(all), err
}

// rounds measures whole rounds against the raw chain with as many requesters and as many appends per round,
// alternating, after a warm-up; then the disk calls of both.
func (b *runner) rounds(ctx context.Context, s roundShape) ([]Result, error) {
	each, blocks := s.each(b.n), s.blocks(b.n)
	m, err := startRounds(ctx, b.dir(), s, benchScript{goals: blocks + 2, rounds: each + 1}, engine.Causes{})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	warm, err := m.goal()
	if err != nil {
		return nil, err
	}
	appends := int(math.Round(float64(warm.appends) / float64(warm.rounds)))
	raw, stop, err := b.rawRounds(ctx, s, appends)
	if err != nil {
		return nil, err
	}
	defer stop()
	var ours, theirs []roundFigures
	for range blocks {
		one, err := m.goal()
		if err != nil {
			return nil, err
		}
		other, err := raw(each)
		if err != nil {
			return nil, err
		}
		ours, theirs = append(ours, one), append(theirs, other)
	}
	calls, err := countDiskCalls(func() error { _, err := m.goal(); return err })
	if err != nil {
		return nil, err
	}
	rawCalls, err := countDiskCalls(func() error { _, err := raw(each); return err })
	if err != nil {
		return nil, err
	}
	n := each * s.atOnce()
	return s.rows(ours, theirs, perRound(calls, n), perRound(rawCalls, n)), nil
}

// callsPerRound is the number of disk calls of a round.
type callsPerRound struct{ syncs, opens float64 }

func perRound(c diskCalls, rounds int) callsPerRound {
	return callsPerRound{float64(sum(c.Syncs)) / float64(rounds), float64(sum(c.Opens)) / float64(rounds)}
}

// Goals of whole rounds with 16 tickets.
var (
	goalRounds    = map[string]float64{bus.Sync: 400, bus.Relaxed: 1000}
	goalProcessor = map[string]float64{bus.Sync: 4, bus.Relaxed: 2.5}
)

// rows returns the figures of a shape against those of the raw chain.
func (s roundShape) rows(ours, theirs []roundFigures, calls, raw callsPerRound) []Result {
	rate := Result{Name: fmt.Sprintf("whole rounds, %s", s), Unit: "/s", More: true,
		Value: medianOf(ours, roundFigures.perSecond), Reference: medianOf(theirs, roundFigures.perSecond)}
	used := Result{Name: "  processor time of a round", Unit: "ms",
		Value: medianOf(ours, roundFigures.processor), Reference: medianOf(theirs, roundFigures.processor)}
	if s.sessions == 1 && s.tickets == 16 {
		rate.Limit, used.Limit = goalRounds[s.durability], goalProcessor[s.durability]
	}
	took := Result{Name: "  time of a round", Unit: "µs"}.medians(timesOf(ours), timesOf(theirs)).milliseconds()
	appends := func(f roundFigures) float64 { return float64(f.appends) / float64(f.rounds) }
	out := []Result{rate, used, took,
		{Name: "  appends of a round", Value: medianOf(ours, appends), Reference: medianOf(theirs, appends)},
		{Name: "  disk syncs of a round", Value: calls.syncs, Reference: raw.syncs},
		{Name: "  file opens of a round", Value: calls.opens, Reference: raw.opens}}
	for i := range out {
		out[i].Durability = s.durability
		for _, f := range ours {
			out[i].N += f.rounds
		}
	}
	return out
}

func timesOf(all []roundFigures) (out []time.Duration) {
	for _, f := range all {
		out = append(out, f.times...)
	}
	return out
}

// medianOf returns the median of a figure over blocks.
func medianOf(blocks []roundFigures, figure func(roundFigures) float64) float64 {
	var all []float64
	for _, f := range blocks {
		all = append(all, figure(f))
	}
	return median(all)
}

// rawRounds is the raw chain with as many requesters as a shape has rounds in flight, with the worker in this process.
// The returned function makes the given number of rounds per requester.
func (b *runner) rawRounds(ctx context.Context, s roundShape, appends int) (
	run func(each int) (roundFigures, error), stop func(), err error) {
	server, err := bus.Open(ctx, bus.Config{Dir: b.dir(), Project: rawbus.Project, Durability: s.durability,
		Logger: b.g.Logger()})
	if err != nil {
		return nil, nil, err
	}
	raw, err := rawbus.NewRounds(server.Stock, s.atOnce(), max(appends, rawbus.MinAppends))
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	working, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = rawbus.Work(working, server.Stock, engine.WorkerName(1), engine.WorkerSlots)
	}()
	run = func(each int) (roundFigures, error) {
		began, used := time.Now(), engine.ProcessorTime()
		times, err := raw.Run(ctx, each)
		return roundFigures{rounds: len(times), appends: appends * len(times), wall: time.Since(began),
			used: engine.ProcessorTime() - used, times: times}, err
	}
	return run, func() { cancel(); <-done; raw.Close(); server.Close() }, nil
}

// modelDelay is how long the model of [bench.slowModel] takes for a reply.
const modelDelay = 200 * time.Millisecond

// slowModel measures 64 tickets whose model takes 200 ms for each reply, against the replies of one ticket, which come
// one after the other.
func (b *runner) slowModel(ctx context.Context, durability string) ([]Result, error) {
	s := roundShape{1, 64, durability}
	each := min(s.each(b.n), 10)
	m, err := startRounds(ctx, b.dir(), s, benchScript{goals: 1, rounds: each + 1, delay: modelDelay}, engine.Causes{})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	f, err := m.goal()
	ideal := time.Duration(each+1) * modelDelay
	return []Result{{Name: fmt.Sprintf("64 tickets of %d replies, model of 200 ms", each+1),
		Durability: durability, Unit: "ms", N: f.rounds, Value: float64(f.wall.Milliseconds()),
		Reference: float64(ideal.Milliseconds()), Goal: 1.2}}, err
}

// memoryFolder returns a new folder on a file system in memory, if there is one.
func (b *runner) memoryFolder() (string, bool) {
	dir, err := os.MkdirTemp("/dev/shm", "slop-bench-*")
	if err != nil {
		return "", false
	}
	b.cleanup = append(b.cleanup, func() { _ = os.RemoveAll(dir) })
	dir, err = filepath.EvalSymlinks(dir)
	return dir, err == nil
}
