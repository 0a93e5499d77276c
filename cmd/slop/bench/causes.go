package bench

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"manualslop/cmd/slop/engine"
)

// causeBlocks is how often each variant of [bench.causes] is measured at most, alternating.
const causeBlocks = 3

// variant is an engine without one of its parts.
type variant struct {
	name   string
	off    engine.Causes
	memory bool // the project and its record are on a file system in memory
}

// variants are measured against the whole engine, which is the first of them.
var variants = []variant{
	{name: "of the whole engine"},
	{name: "without the search index", off: engine.Causes{Index: true}},
	{name: "without the session logs", off: engine.Causes{Logs: true}},
	{name: "without the read models", off: engine.Causes{Folds: true}},
	{name: "without the models effect", off: engine.Causes{Models: true}},
	{name: "without any of these", off: engine.Causes{Index: true, Logs: true, Folds: true, Models: true}},
	{name: "on a file system in memory", memory: true},
}

// causes measures rounds of 16 tickets with one part of the engine left out at a time, alternating with the whole
// engine; then it counts the disk calls of each part.
func (b *runner) causes(ctx context.Context, durability string) ([]Result, error) {
	s := roundShape{1, 16, durability}
	figures := make([][]roundFigures, len(variants))
	for block := range min(causeBlocks, s.blocks(b.n)) {
		for turn := range variants {
			i := (block + turn) % len(variants) // rotates the order of the variants
			v := variants[i]
			f, ok, err := b.variant(ctx, s, v)
			if err != nil {
				return nil, err
			}
			if ok {
				figures[i] = append(figures[i], f)
			}
		}
	}
	whole := figures[0]
	var out []Result
	for i, v := range variants {
		if len(figures[i]) == 0 {
			continue
		}
		rate := Result{Name: "whole rounds, 16 tickets, " + v.name, Durability: durability, Unit: "/s", More: true,
			Value: medianOf(figures[i], roundFigures.perSecond), N: len(figures[i]) * figures[i][0].rounds}
		used := Result{Name: "  processor time of a round " + v.name, Durability: durability, Unit: "ms",
			Value: medianOf(figures[i], roundFigures.processor), N: rate.N}
		if i > 0 {
			rate.Reference, used.Reference = medianOf(whole, roundFigures.perSecond), medianOf(whole, roundFigures.processor)
		}
		out = append(out, rate, used)
	}
	calls, rounds, err := b.diskCallsOf(ctx, s)
	return append(out, rowsOf(calls, rounds, durability)...), err
}

// variant measures one goal of a variant in a new engine, after a warm-up goal; false if the machine has no file
// system in memory.
func (b *runner) variant(ctx context.Context, s roundShape, v variant) (roundFigures, bool, error) {
	root, ok := b.dir(), true
	if v.memory {
		if root, ok = b.memoryFolder(); !ok {
			return roundFigures{}, false, nil
		}
	}
	m, err := startRounds(ctx, root, s, benchScript{goals: 2, rounds: s.each(b.n) + 1}, v.off)
	if err != nil {
		return roundFigures{}, false, err
	}
	_, err = m.goal()
	var f roundFigures
	if err == nil {
		f, err = m.goal()
	}
	return f, true, cmp.Or(err, m.Close())
}

// diskCallsOf counts the disk calls of a goal of the whole engine, after a warm-up goal.
func (b *runner) diskCallsOf(ctx context.Context, s roundShape) (calls diskCalls, rounds int, err error) {
	each := s.each(b.n)
	m, err := startRounds(ctx, b.dir(), s, benchScript{goals: 2, rounds: each + 1}, engine.Causes{})
	if err != nil {
		return calls, 0, err
	}
	defer m.Close()
	if _, err := m.goal(); err != nil {
		return calls, 0, err
	}
	calls, err = countDiskCalls(func() error { _, err := m.goal(); return err })
	return calls, each * s.atOnce(), err
}

// rowsOf returns the calls of each part.
func rowsOf(c diskCalls, rounds int, durability string) []Result {
	var out []Result
	for _, kind := range []struct {
		name  string
		calls map[string]int
	}{{"disk syncs", c.Syncs}, {"file opens", c.Opens}} {
		for _, part := range slices.Sorted(maps.Keys(kind.calls)) {
			out = append(out, Result{Name: kind.name + " of a round by " + part, Durability: durability,
				Value: float64(kind.calls[part]) / float64(rounds), N: rounds})
		}
	}
	return out
}
