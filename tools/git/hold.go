package git

import (
	"context"
	"errors"
)

// Hold is the right to change the files of what is merged, with nobody merging meanwhile.
type Hold struct {
	// Dir is the folder in the merged worktree that stands for the project's folder. Its files are
	// as their branch has them.
	Dir string
	// Branch is the branch that everything is merged into.
	Branch string

	trees   Worktrees
	repo    repository
	release func()
}

// HoldMerged waits for that right, and clears what a holder that died left half done. The system
// gives it back for a process that dies. Release it after use.
func (w Worktrees) HoldMerged(ctx context.Context) (*Hold, error) {
	repo, release, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	w.Program.Timeout = worktreeTimeout
	h := &Hold{Branch: w.Branch(), trees: w, repo: repo, release: release}
	if h.Dir, err = w.dir(repo, Merged); err == nil {
		err = h.reset(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return h, nil
}

// reset gives the files what their branch has, whoever changed them.
func (h *Hold) reset(ctx context.Context) error {
	tip, _, err := h.trees.merged(ctx, h.repo)
	if err != nil {
		return err
	}
	return h.trees.fill(ctx, h.repo, Merged, tip)
}

// Commit puts what the folder holds onto the branch; nothing where it holds what the branch has.
// After an error the folder is as it was.
func (h *Hold) Commit(ctx context.Context, title string) error {
	p, err := h.trees.inside(ctx, h.repo, Merged)
	if err != nil {
		return err
	}
	_, err = h.trees.commit(ctx, h.repo, p, MergeRequest{Name: Merged, Title: title}, "")
	if err != nil {
		err = errors.Join(err, h.reset(ctx))
	}
	return errors.Join(err, p.close())
}

// Release gives the right back.
func (h *Hold) Release() { h.release() }
