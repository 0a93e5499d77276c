package sandbox

import (
	"context"
	"errors"
	"io/fs"
)

// Bounds of a walk, used where WalkOptions leaves a field zero; more cannot be asked for.
const (
	DefaultWalkDepth   = 64
	DefaultWalkEntries = 200_000
)

// WalkOptions bound a walk.
type WalkOptions struct {
	MaxDepth   int  // levels below the start
	MaxEntries int  // entries visited
	Gitignore  bool // leave out what .gitignore files say, and every .git folder
	NoSizes    bool // leave Entry.Size zero where that spares a look at the file
	// Ignored, if set, is told of what .gitignore files leave out, and of nothing inside of it.
	Ignored func(Entry)
}

// WalkStats tells what a walk left out.
type WalkStats struct {
	Visited   int  // entries handed to the visitor
	Ignored   int  // entries left out by .gitignore; what is inside an ignored folder is not counted
	Protected int  // entries left out because of their names; what is inside of them is not counted
	Truncated bool // a bound on entries cut the walk short
	Unread    int  // folders that could not be opened
	// LeftOut counts the ignored and protected entries of each folder that has some.
	LeftOut map[string]int
}

// walker is one walk.
type walker struct {
	w     *Workspace
	opts  WalkOptions
	visit func(Entry) error
	stats WalkStats
}

// Walk visits everything below a directory, parents before children, names in order, without
// protected entries and without following links. The visitor returns fs.SkipDir to leave out what
// is inside a directory, fs.SkipAll to end the walk, or another error to fail it.
func (w *Workspace) Walk(ctx context.Context, name string, opts WalkOptions, visit func(Entry) error) (WalkStats,
	error) {
	p, err := w.locate(name)
	if err != nil {
		return WalkStats{}, err
	}
	opts.MaxDepth = within(opts.MaxDepth, DefaultWalkDepth)
	opts.MaxEntries = within(opts.MaxEntries, DefaultWalkEntries)
	k := &walker{w: w, opts: opts, visit: visit, stats: WalkStats{LeftOut: map[string]int{}}}
	var rules *ignoreRules
	if opts.Gitignore {
		rules = w.rulesAbove(ctx, p)
	}
	err = k.directory(ctx, p, 1, rules)
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return k.stats, err
}

func within(asked, most int) int {
	if asked <= 0 {
		return most
	}
	return min(asked, most)
}

func (k *walker) directory(ctx context.Context, p place, depth int, rules *ignoreRules) error {
	found, err := k.w.list(ctx, p, depth, !k.opts.NoSizes)
	if err != nil {
		if depth == 1 || ctx.Err() != nil {
			return err
		}
		k.stats.Unread++
		return nil
	}
	k.stats.Truncated = k.stats.Truncated || found.Truncated
	k.stats.Protected += found.Protected
	k.leaveOut(p, found.Protected)
	if k.opts.Gitignore {
		rules = k.w.rulesOf(ctx, p, rules)
	}
	for _, e := range found.Entries {
		if err := k.entry(ctx, p, e, rules); err != nil {
			return err
		}
	}
	return nil
}

func (k *walker) leaveOut(dir place, n int) {
	if n > 0 {
		k.stats.LeftOut[dir.show] += n
	}
}

func (k *walker) entry(ctx context.Context, dir place, e Entry, rules *ignoreRules) error {
	p, _ := k.w.child(dir, e.Name)
	if k.opts.Gitignore && (e.Name == ".git" || rules.ignores(p.rel, e.Kind == KindDirectory)) {
		if k.stats.Ignored++; k.opts.Ignored != nil {
			k.opts.Ignored(e)
		}
		k.leaveOut(dir, 1)
		return nil
	}
	if k.stats.Visited == k.opts.MaxEntries {
		k.stats.Truncated = true
		return fs.SkipAll
	}
	k.stats.Visited++
	err := k.visit(e)
	switch {
	case errors.Is(err, fs.SkipDir):
		return nil
	case err != nil:
		return err
	case e.Kind != KindDirectory || e.Depth >= k.opts.MaxDepth:
		return nil
	}
	return k.directory(ctx, p, e.Depth+1, rules)
}
