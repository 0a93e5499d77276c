package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Hold is the exclusive right to change the files of the merged worktree. No merge can run while it is held.
type Hold struct {
	// Dir is the folder in the merged worktree that corresponds to the project's
	// folder. Its files match its branch.
	Dir string
	// Branch is the branch into which everything is merged.
	Branch string

	trees   Worktrees
	repo    repository
	release func()
}

// HoldMerged waits for a Hold, and cleans up after a crashed holder. The system releases it when a process dies.
// If files were changed by others, HoldMerged returns a *Problem, because the changes would be lost. Release the
// Hold after use.
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

// begin restores the files to the state of their branch. It fails if they were changed by others.
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

// reset restores the files to the state of their branch, even if they were changed by others.
func (h *Hold) reset(ctx context.Context) error {
	tip, _, err := h.trees.merged(ctx, h.repo)
	if err != nil {
		return err
	}
	return h.trees.fill(ctx, h.repo, Merged, tip)
}

// Commit commits the contents of the folder to the branch, unless they already match it. After an error the
// folder is unchanged. The commit survives a power cut.
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

// Release releases the Hold.
func (h *Hold) Release() { h.release() }

// Tidy removes the worktree of merged work after the session, so that the user can check out its branch. The
// branch stays. A worktree with changes by others also stays, and a *Problem says so. The worktree is recreated
// when needed.
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
