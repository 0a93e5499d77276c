package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Worktrees are registered in the repository directly, in the files described
// in gitrepository-layout(5), because git worktree would read the repository's
// configuration, which may name hooks.

// linkedAdmins returns the administrative folders of the repository's
// worktrees.
func (r repository) linkedAdmins() ([]string, error) {
	all := filepath.Join(r.common, "worktrees")
	entries, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("git: %w", err)
	}
	var out []string
	for _, entry := range entries {
		if entry.IsDir() {
			out = append(out, filepath.Join(all, entry.Name()))
		}
	}
	return out, nil
}

// entry returns the .git file of a worktree.
func (w Worktrees) entry(name string) string {
	return filepath.Join(realOf(w.Root), name, ".git")
}

// register creates a worktree without files, on its branch. Leftovers of an
// earlier one with that name are removed from the repository.
func (w Worktrees) register(repo repository, name string) error {
	if err := w.unregister(repo, name); err != nil {
		return err
	}
	admin, err := repo.newAdmin(name)
	if err != nil {
		return err
	}
	entry := w.entry(name)
	if err := os.MkdirAll(filepath.Dir(entry), 0o777); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	locked := filepath.Join(admin, "locked") // prevents git worktree prune until registration is complete
	for _, file := range []struct{ name, text string }{
		{locked, "initializing"},
		{filepath.Join(admin, "gitdir"), filepath.ToSlash(entry)},
		{filepath.Join(admin, "commondir"), "../.."},
		{filepath.Join(admin, "HEAD"), "ref: refs/heads/" + w.branchOf(name)},
		{entry, "gitdir: " + filepath.ToSlash(admin)},
	} {
		if err := os.WriteFile(file.name, []byte(file.text+"\n"), 0o666); err != nil {
			return fmt.Errorf("git: %w", err)
		}
	}
	return os.Remove(locked)
}

// newAdmin creates the administrative folder of a worktree, under a unique
// name.
func (r repository) newAdmin(name string) (string, error) {
	common := realOf(r.common)
	for i := 0; ; i++ {
		admin := filepath.Join(common, "worktrees", name)
		if i > 0 {
			admin += strconv.Itoa(i)
		}
		err := os.MkdirAll(filepath.Dir(admin), 0o777)
		if err == nil {
			err = os.Mkdir(admin, 0o777)
		}
		switch {
		case err == nil:
			return admin, nil
		case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist): // git removes the empty parent folder
		default:
			return "", fmt.Errorf("git: %w", err)
		}
	}
}

// unregister removes a worktree's registration from the repository.
func (w Worktrees) unregister(repo repository, name string) error {
	admins, err := repo.linkedAdmins()
	if err != nil {
		return err
	}
	entry := w.entry(name)
	for _, admin := range admins {
		if back := pointer(filepath.Join(admin, "gitdir")); back != "" && resolve(admin, back) == entry {
			if err := removeAdmin(admin); err != nil {
				return fmt.Errorf("git: %w", err)
			}
		}
	}
	return nil
}

// removeEmptied removes empty folders that interrupted removals left behind for worktrees of a name. Only a
// removal of sessions calls it, because a folder that another session has just created for such a worktree is
// also briefly empty.
func (r repository) removeEmptied(name string) error {
	admins, err := r.linkedAdmins()
	if err != nil {
		return err
	}
	for _, admin := range admins {
		if strings.HasPrefix(filepath.Base(admin), name) {
			_ = os.Remove(admin) // fails for a folder that is not empty, which stays
		}
	}
	return nil
}

// removeAdmin removes an administrative folder. The file that names the folder's owner is removed last, so that a
// partly removed folder is found again.
func removeAdmin(admin string) error {
	entries, err := os.ReadDir(admin)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() != "gitdir" {
			if err := os.RemoveAll(filepath.Join(admin, entry.Name())); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(admin)
}
