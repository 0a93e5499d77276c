package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Hold is the right to change the files of the merged worktree, during which no
// merge can run.
type Hold struct {
	// Dir is the folder in the merged worktree that corresponds to the project's
	// folder. Its files match its branch.
	Dir string
	// Branch is the branch that everything is merged into.
	Branch string

	trees   Worktrees
	repo    repository
	release func()
}

// HoldMerged waits for that right, and cleans up after a crashed holder. The
// system releases it when a process dies. If files were changed by others, it
// returns a *Problem, because the changes would be lost. Release it after use.
func (w Worktrees) HoldMerged(ctx context.Context) (*Hold, error) {
	repo, release, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	w.Program.Timeout = worktreeTimeout
	h := &Hold{Branch: w.Branch(), trees: w, repo: repo}
	h.release = func() {
		w.settled(context.WithoutCancel(ctx), repo)
		release()
	}
	if h.Dir, err = w.dir(repo, Merged); err == nil {
		err = h.begin(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return h, nil
}

// begin returns the files what their branch has, unless somebody is working on
// them.
func (h *Hold) begin(ctx context.Context) error {
	if _, _, err := h.trees.merged(ctx, h.repo); err != nil {
		return err
	}
	ours, err := h.trees.changing()
	if err == nil && !ours {
		err = h.trees.asMerged(ctx, h.repo)
	}
	if err == nil {
		err = h.trees.write(Merged, changing, true)
	}
	if err != nil {
		return err
	}
	return h.reset(ctx)
}

// reset returns the files what their branch has, whoever changed them.
func (h *Hold) reset(ctx context.Context) error {
	tip, _, err := h.trees.merged(ctx, h.repo)
	if err != nil {
		return err
	}
	return h.trees.fill(ctx, h.repo, Merged, tip)
}

// Commit commits the contents of the folder to the branch, unless they match
// it. After an error the folder is as it was. Its effect survives a power cut.
func (h *Hold) Commit(ctx context.Context, title string) error {
	p, err := h.trees.inside(ctx, h.repo, Merged)
	if err != nil {
		return err
	}
	_, err = h.trees.commit(ctx, h.repo, p, MergeRequest{Name: Merged, Title: title}, "")
	if err != nil {
		err = errors.Join(err, h.reset(ctx))
	} else {
		err = h.trees.flush(h.repo)
	}
	return errors.Join(err, p.close())
}

// Release releases the right.
func (h *Hold) Release() { h.release() }

// Tidy removes the worktree of merged work after the session, so that the
// person can check out its branch. The branch stays, and so does a worktree
// with changes by others; a *Problem says so. It is recreated when needed.
func (w Worktrees) Tidy(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(w.Root, Merged)); err != nil {
		return nil
	}
	repo, release, err := w.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	w.Program.Timeout = worktreeTimeout
	if err := w.asMerged(ctx, repo); err != nil {
		return err
	}
	return w.removeFolder(repo, Merged)
}
