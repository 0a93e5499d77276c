package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
// gives it back for a process that dies. Where somebody else changed files it is refused, with a
// *Problem, because they would be lost. Release it after use.
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

// begin gives the files what their branch has, unless somebody is at work on them.
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

// reset gives the files what their branch has, whoever changed them.
func (h *Hold) reset(ctx context.Context) error {
	tip, _, err := h.trees.merged(ctx, h.repo)
	if err != nil {
		return err
	}
	return h.trees.fill(ctx, h.repo, Merged, tip)
}

// Commit puts what the folder holds onto the branch; nothing where it holds what the branch has.
// After an error the folder is as it was. What it did survives a power cut.
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

// Release gives the right back.
func (h *Hold) Release() { h.release() }

// Tidy removes the worktree of what is merged once the session is over, so that the person can check
// its branch out. The branch stays, and so does a worktree in which somebody changed something; a
// *Problem says so. It is made again when it is needed again.
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
