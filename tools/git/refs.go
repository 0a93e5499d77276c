package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// updateRef moves or removes a branch of the repository, with a configuration of our own: that of
// the repository may name hooks, which core.hooksPath alone does not switch off.
func (p Program) updateRef(ctx context.Context, repo repository, args ...string) (failed string, err error) {
	w, err := p.private(ctx, repo)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := w.borrowRefs(); err != nil {
		return "", err
	}
	_, failed, err = w.git(ctx, append([]string{"update-ref"}, args...)...)
	return failed, err
}

// borrowRefs puts the repository's branches in the place of the private folder's.
func (w *private) borrowRefs() error {
	if err := os.Remove(filepath.Join(w.dir, "refs")); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	links := []string{"refs", "packed-refs"} // the second one need not be there
	if info, err := os.Lstat(filepath.Join(w.repo.common, "logs")); err == nil && info.IsDir() {
		links = append(links, "logs")
	}
	for _, name := range links {
		if err := os.Symlink(filepath.Join(w.repo.common, name), filepath.Join(w.dir, name)); err != nil {
			return fmt.Errorf("git: %w", err)
		}
	}
	return nil
}
