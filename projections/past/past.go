// Package past folds sessions up to positions of the log, for readers who look at a session as it was.
//
// A [Folds] keeps a few folds, each at the position that was read last, and some states on the way to them. A step
// forward folds only what is new, and a step back restores the state before it, so that both are quick in a long
// session too. Readers at different positions, or in different sessions, have folds of their own.
package past

import (
	"context"
	"iter"
	"slices"

	"manualslop/events"
	"manualslop/projections"
)

// Limits of what a Folds keeps. The folds and states that were used longest ago are dropped.
const (
	// maxFolds is how many positions have a fold.
	maxFolds = 3
	// maxStates is how many bytes the states have together.
	maxStates = 64 << 20
	// step is how many events a step back folds at most, and how far a fold moves on: a reader further ahead is another
	// reader.
	step = 1000
	// spacing is how far apart the states are that a long fold leaves on its way.
	spacing = 20_000
)

// Read returns the events of a session from one sequence to another, as the log has them.
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

// state is what restores a fold.
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

// New returns a Folds that reads a log, and folds the given models only.
func New(read Read, models []func() projections.Model) *Folds {
	return &Folds{read: read, models: models, room: maxStates, turn: make(chan struct{}, 1)}
}

// At calls f with the models of a session as they were after the event at a sequence. f must not keep them. The error
// is that of the log, of ctx, of f, or a *projections.StoppedError.
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

// nearest returns a fold that has all events up to a position, which is at or before the given one. It is no longer in
// p.folds.
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

// fold folds the stored events up to a position, and leaves states from which later readers begin.
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

// onTheWay returns after which sequences a fold leaves its state, in order.
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

// leave keeps the state of a fold where it is. A fold with a stopped model has none.
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
