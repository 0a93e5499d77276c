package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// checkout creates the worktree of a branch at commit, unless it exists. A partly created one is recreated.
func (w Worktrees) checkout(ctx context.Context, repo repository, name, commit string) error {
	var ready bool
	if err := w.read(name, "ready", &ready); err != nil {
		return err
	}
	path := filepath.Join(w.Root, name)
	if _, err := os.Lstat(filepath.Join(path, ".git")); ready && (err == nil || name != Merged) {
		return nil // recreate only the worktree of merged work, because it has no unmerged work
	}
	if err := w.elsewhere(repo, name); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	if err := w.register(repo, name); err != nil {
		return err
	}
	if err := w.fill(ctx, repo, name, commit); err != nil {
		return err
	}
	return w.write(name, "ready", true)
}

// fill writes the files of a commit or tree into a worktree and overwrites its contents.
func (w Worktrees) fill(ctx context.Context, repo repository, name, tree string) error {
	p, err := w.inside(ctx, repo, name)
	if err != nil {
		return err
	}
	_, failed, err := p.git(ctx, "read-tree", "--reset", "-u", tree)
	if err == nil && failed != "" {
		err = problem("git cannot write the files of a worktree: %s", shown(failed))
	}
	return errors.Join(err, p.close())
}

// inside returns a private folder for the files of a worktree. It rejects a worktree whose .git does not belong
// to the project's repository.
func (w Worktrees) inside(ctx context.Context, repo repository, name string) (*private, error) {
	path := filepath.Join(w.Root, name)
	own, err := locate(path)
	if err != nil || !same(own.root, path) || !same(own.common, repo.common) || same(own.admin, repo.admin) {
		return nil, problem("the folder %s is no longer a worktree of this project", path)
	}
	if err := unlock(ctx, filepath.Join(own.admin, "index")); err != nil {
		return nil, err
	}
	p, err := w.Program.private(ctx, own)
	if err != nil {
		return nil, err
	}
	return p, errors.Join(p.borrow("shallow"), p.borrow("info/exclude"))
}

// staleAfter is the age from which a lock file counts as left over from a killed git. None of our processes holds
// one, because the session's own lock is held.
const staleAfter = 2 * time.Second

// unlock waits for git's lock on a file, and removes a stale one.
func unlock(ctx context.Context, file string) error {
	for {
		info, err := os.Lstat(file + ".lock")
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("git: %w", err)
		case time.Since(info.ModTime()) >= staleAfter:
			return os.Remove(file + ".lock")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(staleAfter / 20):
		}
	}
}

// borrow links a file of the repository: the boundary of a shallow clone, or the user's own ignore rules.
func (w *private) borrow(name string) error {
	file := filepath.Join(w.repo.common, filepath.FromSlash(name))
	if _, err := os.Lstat(file); err != nil {
		return nil
	}
	link := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		return err
	}
	return os.Symlink(file, link)
}

// remove deletes a merged worktree and its branch.
func (w Worktrees) remove(ctx context.Context, repo repository, name string) error {
	if err := w.removeFolder(repo, name); err != nil {
		return err
	}
	tip, err := w.tip(ctx, repo, w.branchOf(name))
	if err != nil || tip == "" {
		return err
	}
	if err := unlock(ctx, w.ref(repo, name)); err != nil {
		return err
	}
	failed, err := w.Program.updateRef(ctx, repo, "-d", "refs/heads/"+w.branchOf(name), tip)
	if err == nil && failed != "" {
		err = problem("the branch %s cannot be removed: %s", w.branchOf(name), shown(failed))
	}
	return err
}

// removeFolder deletes a worktree but keeps its branch.
func (w Worktrees) removeFolder(repo repository, name string) error {
	if err := os.RemoveAll(filepath.Join(w.Root, name)); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	return w.unregister(repo, name)
}

// ref returns the path of the file that stores a branch.
func (w Worktrees) ref(repo repository, name string) string {
	return filepath.Join(repo.common, "refs", "heads", filepath.FromSlash(w.branchOf(name)))
}

// note returns the path of a progress file next to a worktree.
func (w Worktrees) note(name, what string) string {
	return filepath.Join(w.Root, name+"."+what+".json")
}

// read decodes a note into v. If the note is missing, v is not changed.
func (w Worktrees) read(name, what string, v any) error {
	b, err := os.ReadFile(w.note(name, what))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return fmt.Errorf("git: read the note of a worktree: %w", err)
	}
	return nil
}

// write atomically writes a note.
func (w Worktrees) write(name, what string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	temporary := w.note(name, what) + ".new"
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.Write(b)
		err = errors.Join(err, f.Sync(), f.Close()) // without sync a power cut after the rename could leave it empty
	}
	if err == nil {
		err = os.Rename(temporary, w.note(name, what))
	}
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	return nil
}
