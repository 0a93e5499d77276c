package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// private is our own administrative folder for one diff. It has no refs and no hooks.
type private struct {
	program Program
	repo    repository
	dir     string
	index   string // path of the index file
}

// carried matches the settings that the diff of a working tree needs: words and numbers that do not name a
// program or a path.
var carried = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|sharedrepository|logallrefupdates)|extensions\.objectformat|core\.repositoryformatversion)$`)
})

var plainValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]{1,10}$`)
})

// private creates the folder. The caller must close it.
func (p Program) private(ctx context.Context, repo repository) (_ *private, err error) {
	dir, err := os.MkdirTemp("", "slop-git-")
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	w := &private{program: p, repo: repo, dir: dir, index: filepath.Join(repo.admin, "index")}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	config, err := p.harmless(ctx, repo)
	if err != nil {
		return nil, err
	}
	for _, folder := range []string{"refs", "objects"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			return nil, fmt.Errorf("git: %w", err)
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("git: %w", err)
		}
	}
	return w, w.borrowSplitIndex()
}

// copyIndex replaces the index with a private copy, which git may refresh.
func (w *private) copyIndex() (err error) {
	info, err := os.Lstat(w.index)
	if err != nil || !info.Mode().IsRegular() {
		return nil // git reports the problem
	}
	from, err := os.Open(w.index)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	defer func() { _ = from.Close() }()
	own := filepath.Join(w.dir, "index")
	to, err := os.OpenFile(own, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	_, err = io.Copy(to, from)
	// Git compares the content of files that changed no earlier than the index was written.
	err = errors.Join(err, to.Close(), os.Chtimes(own, info.ModTime(), info.ModTime()))
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	w.index = own
	return nil
}

func (w *private) close() error { return os.RemoveAll(w.dir) }

// harmless returns the settings to carry over, in configuration syntax. Reading a settings file by name runs
// nothing and follows no includes.
func (p Program) harmless(ctx context.Context, repo repository) (string, error) {
	text := "[core]\n\tbare = false\n"
	for _, file := range []string{filepath.Join(repo.common, "config"), filepath.Join(repo.admin, "config.worktree")} {
		if _, err := os.Lstat(file); err != nil {
			continue
		}
		out, failed, err := p.run(ctx, os.TempDir(), []string{"GIT_DIR=" + filepath.Join(repo.admin, "none")}, "config",
			"--file", file, "--no-includes", "-z", "--list")
		if err != nil {
			return "", err
		}
		if failed != "" {
			return "", problem("the repository's configuration cannot be read: %s", failed)
		}
		for entry := range strings.SplitSeq(out, "\x00") {
			key, value, _ := strings.Cut(entry, "\n")
			value = strings.ToLower(value)
			if section, name, ok := strings.Cut(strings.ToLower(key), "."); ok && carried().MatchString(strings.ToLower(key)) &&
				plainValue().MatchString(value) {
				text += fmt.Sprintf("[%s]\n\t%s = %s\n", section, name, value)
			}
		}
	}
	return text, nil
}

// borrowSplitIndex links to the shared part of a split index, where git looks for it next to the configuration.
// Such an index is rewritten as one file, because our own shared part would be removed with the folder.
func (w *private) borrowSplitIndex() error {
	entries, err := os.ReadDir(w.repo.admin)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, "sharedindex.") {
			if err := os.Symlink(filepath.Join(w.repo.admin, name), filepath.Join(w.dir, name)); err != nil {
				return fmt.Errorf("git: %w", err)
			}
		}
	}
	return nil
}

// git runs a command in the private folder on the repository's working tree.
func (w *private) git(ctx context.Context, args ...string) (out, failed string, err error) {
	return w.program.run(ctx, w.repo.root, w.environment(), args...)
}

// names is like git for commands that output file names.
func (w *private) names(ctx context.Context, args ...string) (out, failed string, err error) {
	return w.program.runExact(ctx, w.repo.root, w.environment(), args...)
}

func (w *private) environment() []string {
	return []string{
		"GIT_DIR=" + w.dir, "GIT_WORK_TREE=" + w.repo.root, "GIT_INDEX_FILE=" + w.index,
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(w.repo.common, "objects"),
	}
}

// updateRef moves or removes a branch of the repository with our own configuration, because the repository's
// configuration may name hooks, which core.hooksPath alone does not switch off.
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

// borrowRefs links the repository's branches into the private folder.
func (w *private) borrowRefs() error {
	if err := os.Remove(filepath.Join(w.dir, "refs")); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	links := []string{"refs", "packed-refs"} // the second may be missing
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
