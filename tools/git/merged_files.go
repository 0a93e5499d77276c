package git

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// changing is the note that exists while slop changes the files of merged work. While it exists, differences from the
// branch are slop's; otherwise they are a person's work.
const changing = "changing"

func (w Worktrees) changing() (ours bool, err error) {
	err = w.read(Merged, changing, &ours)
	return ours, err
}

// settled removes the note if the files match their branch.
func (w Worktrees) settled(ctx context.Context, repo repository) {
	if w.asMerged(ctx, repo) == nil {
		_ = w.write(Merged, changing, false) // if the note stays, the next writer writes the files again
	}
}

// maxMoves limits how far the branch may be ahead of its files.
const maxMoves = 1000

// asMerged checks that the worktree of merged work holds only contents that its branch has or had. It changes
// nothing, because the next writer would remove a file that was added to the index.
func (w Worktrees) asMerged(ctx context.Context, repo repository) error {
	tip, err := w.tip(ctx, repo, w.Branch())
	if err != nil {
		return err
	}
	p, err := w.inside(ctx, repo, Merged)
	if err != nil {
		return err
	}
	defer func() { _ = p.close() }()
	changed, err := p.changed(ctx)
	if err == nil && tip != "" && !changed {
		changed, err = p.neverWas(ctx, tip)
	}
	if err == nil && (tip == "" || changed) {
		err = problem("files in %s were changed; move them elsewhere, or remove the worktree with git worktree "+
			"remove --force",
			filepath.Join(w.Root, Merged))
	}
	return err
}

// changed reports whether the worktree differs from the index.
func (w *private) changed(ctx context.Context) (bool, error) {
	if _, _, err := w.git(ctx, "update-index", "-q", "--refresh"); err != nil { // fails if files changed
		return false, err
	}
	other, err := w.entries(ctx, "diff-files")
	if err != nil {
		return true, err
	}
	same, err := w.asStored(ctx, other)
	same = slices.DeleteFunc(same, func(e entry) bool { return e.oldMode != e.newMode })
	if err != nil || len(same) < len(other) {
		return true, err
	}
	unknown, err := w.must(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	return unknown != "", err
}

// neverWas reports whether the index has content that no commit up to tip has.
func (w *private) neverWas(ctx context.Context, tip string) (bool, error) {
	tree, err := w.must(ctx, "write-tree")
	if err != nil {
		return false, err
	}
	trees, err := w.must(ctx, "log", "--format=%T", "-n", strconv.Itoa(maxMoves), tip, "--")
	return !strings.Contains(trees, tree), err
}

// advance moves the merged branch and then updates its files. Changes by others stay; if the merge would
// overwrite them, it is rejected before anything is moved.
func (w Worktrees) advance(ctx context.Context, repo repository, commit, old string) error {
	ours, err := w.changing()
	if err != nil {
		return err
	}
	step := []string{"read-tree", "-m", "-u", old, commit}
	if ours || w.asMerged(ctx, repo) == nil {
		step = []string{"read-tree", "--reset", "-u", commit}
	} else if err := w.fits(ctx, repo, step); err != nil {
		return err
	}
	if err := w.write(Merged, changing, true); err != nil {
		return err
	}
	err = w.move(ctx, repo, Merged, commit, old)
	if err != nil && ctx.Err() == nil { // nothing was changed
		return errors.Join(err, w.write(Merged, changing, ours))
	}
	if err != nil {
		return err
	}
	return w.written(ctx, repo, step)
}

// written writes the changed files of merged work.
func (w Worktrees) written(ctx context.Context, repo repository, step []string) error {
	p, err := w.inside(ctx, repo, Merged)
	if err != nil {
		return err
	}
	defer func() { _ = p.close() }()
	if _, err := p.must(ctx, step...); err != nil {
		return err
	}
	return w.write(Merged, changing, false)
}

// fits reports whether a step does not overwrite changes by others.
func (w Worktrees) fits(ctx context.Context, repo repository, step []string) error {
	p, err := w.inside(ctx, repo, Merged)
	if err != nil {
		return err
	}
	defer func() { _ = p.close() }()
	if _, _, err := p.git(ctx, "update-index", "-q", "--refresh"); err != nil { // fails if files changed
		return err
	}
	_, failed, err := p.git(ctx, append([]string{step[0], "-n"}, step[1:]...)...)
	if err == nil && failed != "" {
		err = problem("files in %s were changed and would be overwritten: %s; move them elsewhere",
			filepath.Join(w.Root, Merged), shown(failed))
	}
	return err
}
