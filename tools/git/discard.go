package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Left lists the existing worktrees: each except [Merged] holds unmerged work.
func (w Worktrees) Left() ([]string, error) {
	entries, err := os.ReadDir(w.Root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("git: %w", err)
	}
	var out []string
	for _, entry := range entries {
		if entry.IsDir() {
			out = append(out, entry.Name())
		}
	}
	return out, nil
}

// Discard removes all worktrees of the session and the branches of its tickets, including unmerged work. It keeps
// the branch of merged work and branches that are checked out elsewhere. It can be repeated after a crash.
func (w Worktrees) Discard(ctx context.Context) error {
	if _, err := os.Lstat(w.Root); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	repo, release, err := w.begin(ctx)
	var none *Problem
	switch {
	case errors.As(err, &none): // the repository is gone or of another kind; the folders are ours
	case err != nil:
		return err
	default:
		w.Program.Timeout = worktreeTimeout
		err := w.discard(ctx, repo)
		release()
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(w.Root)
}

func (w Worktrees) discard(ctx context.Context, repo repository) error {
	names, err := w.Left()
	if err != nil {
		return err
	}
	prefix := "refs/heads/slop-tickets/" + w.Session + "/"
	refs, failed, err := w.Program.inside(ctx, repo, "for-each-ref", "--format=%(refname)", prefix)
	if err == nil && failed != "" {
		err = problem("git cannot list the branches of tickets: %s", shown(failed))
	}
	if err != nil {
		return err
	}
	if !slices.Contains(names, Merged) {
		names = append(names, Merged) // the repository may still have it registered
	}
	for ref := range strings.Lines(refs) {
		if name := strings.TrimPrefix(strings.TrimSpace(ref), prefix); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if name == Merged || w.elsewhere(repo, name) != nil {
			err = w.removeFolder(repo, name)
		} else {
			err = w.remove(ctx, repo, name)
		}
		if err == nil {
			err = repo.removeEmptied(name)
		}
		if err != nil {
			return err
		}
	}
	return w.flush(repo)
}
