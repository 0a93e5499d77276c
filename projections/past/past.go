// Package past folds sessions up to positions of the log, for readers who look at a past state of a session.
//
// A [Folds] keeps a few folds, each at the position that was read last, and some states on the way there. A step
// forward folds only the new events, and a step back starts from the nearest earlier state, so both are fast even in
// a long session. Readers at different positions, or in different sessions, have separate folds.
package past

import (
	"context"
	"iter"
	"slices"

	"manualslop/events"
	"manualslop/projections"
)

// Limits of the memory of a Folds. The least recently used folds and states are dropped.
const (
	// maxFolds is the maximum number of folds.
	maxFolds = 3
	// maxStates is the maximum size of all states together, in bytes.
	maxStates = 64 << 20
	// step is the maximum number of events that a step back folds, and the maximum distance by which a fold advances:
	// a reader further ahead counts as a new reader.
	step = 1000
	// spacing is the distance between the states that a long fold leaves behind.
	spacing = 20_000
)

// Read returns the stored events of a session from one sequence to another.
type Read func(ctx context.Context, session string, from, to uint64) iter.Seq2[events.Event, error]

// Folds folds sessions up to positions. It is safe for concurrent use. Create one with New.
type Folds struct {
	read   Read
	models []func() projections.Model
	room   int           // for the bytes of the states
	turn   chan struct{} // held while a reader folds and reads
	folds  []*fold       // the one used last is the last
	states []*state      // the one used last is the last
}

type fold struct {
	session string
	at      uint64 // the position; the newest event of the session may be before it
	set     *projections.Set
}

// state restores a fold.
type state struct {
	session string
	of      projections.Snapshot
}

func (s *state) size() int {
	n := 0
	for _, m := range s.of.Models {
		n += len(m.State)
	}
	return n
}

// New returns a Folds that reads a log and folds only the given models.
func New(read Read, models []func() projections.Model) *Folds {
	return &Folds{read: read, models: models, room: maxStates, turn: make(chan struct{}, 1)}
}

// At calls f with the models of a session as they were after the event at a sequence. f must not keep them. It
// returns the error of the log, of ctx or of f, or a *projections.StoppedError.
func (p *Folds) At(ctx context.Context, session string, at uint64, f func(*projections.Set) error) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	set, from := p.nearest(session, at)
	if err := p.fold(ctx, session, set, from, at); err != nil {
		return err
	}
	p.folds = append(p.folds, &fold{session, at, set})
	p.folds = p.folds[max(0, len(p.folds)-maxFolds):]
	var failed error
	if err := set.Show(func(s *projections.Set) { failed = f(s) }); err != nil {
		return err
	}
	return failed
}

// nearest returns the fold with the most events up to the given position, and removes it from p.folds.
func (p *Folds) nearest(session string, at uint64) (set *projections.Set, from uint64) {
	near := -1
	for i, f := range p.folds {
		if f.session == session && f.at <= at && at-f.at <= step && (near < 0 || f.at > p.folds[near].at) {
			near = i
		}
	}
	if near >= 0 {
		f := p.folds[near]
		p.folds = slices.Delete(p.folds, near, near+1)
		return f.set, f.at
	}
	var best *state
	for _, s := range p.states {
		if s.session == session && s.of.Seq <= at && (best == nil || s.of.Seq > best.of.Seq) {
			best = s
		}
	}
	set = projections.NewSetOf(p.models)
	if best == nil {
		return set, 0
	}
	p.states = slices.DeleteFunc(p.states, func(s *state) bool { return s == best })
	if set.Restore(best.of) == nil {
		p.states = append(p.states, best) // the one used last
	}
	return set, set.Seq()
}

// fold folds the stored events up to a position, and leaves behind states from which later readers can begin.
func (p *Folds) fold(ctx context.Context, session string, set *projections.Set, from, at uint64) error {
	if from >= at {
		return nil
	}
	due := onTheWay(from, at)
	registry := events.Catalogue()
	for e, err := range p.read(ctx, session, from+1, at) {
		if err != nil {
			return err
		}
		if len(due) > 0 && e.Seq > due[0] {
			p.leave(session, set)
			for len(due) > 0 && e.Seq > due[0] {
				due = due[1:]
			}
		}
		registry.Decode(&e)
		set.Apply(&e)
	}
	return ctx.Err()
}

// onTheWay returns the sequences after which a fold saves its state, in order.
func onTheWay(from, at uint64) []uint64 {
	if at-from <= 2*step {
		return nil
	}
	var due []uint64
	for seq := from + spacing; seq < at-step; seq += spacing {
		due = append(due, seq)
	}
	return append(due, at-step)
}

// leave saves the current state of a fold. A fold with a stopped model has no state.
func (p *Folds) leave(session string, set *projections.Set) {
	snap, err := set.Snapshot()
	if err != nil {
		return
	}
	left := &state{session, snap}
	size := left.size()
	if size > p.room {
		return
	}
	p.states = slices.DeleteFunc(p.states, func(s *state) bool { return s.session == session && s.of.Seq == snap.Seq })
	for i, s := range slices.Backward(p.states) {
		if size += s.size(); size > p.room {
			p.states = slices.Delete(p.states, 0, i+1)
			break
		}
	}
	p.states = append(p.states, left)
}
