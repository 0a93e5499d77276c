package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// whole rejects a partial clone that lacks files of the commit, because git would fetch them when it fills a
// worktree, and fetching is not allowed here.
func (w Worktrees) whole(ctx context.Context, repo repository, commit string) error {
	packs, err := os.ReadDir(filepath.Join(repo.common, "objects", "pack"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("git: %w", err)
	}
	if !slices.ContainsFunc(packs, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".promisor") }) {
		return nil
	}
	missing, failed, err := w.Program.inside(ctx, repo, "rev-list", "--objects", "--no-walk", "--missing=print", "--quiet",
		commit)
	if err == nil && (failed != "" || missing != "") {
		err = problem("the repository is a partial clone in which %d files of the last commit are missing, and "+
			"tickets cannot "+
			"fetch them: run git fetch --refetch --no-filter, or set isolation = \"shared\"", strings.Count(missing, "?"))
	}
	return err
}

// borrowsNothing rejects a repository with objects elsewhere, because through objects/info/alternates or links
// among the objects any other repository on the machine could be read. Links are rejected wherever git looks for
// objects.
func (r repository) borrowsNothing() error {
	objects := filepath.Join(r.common, "objects")
	for _, name := range []string{"alternates", "http-alternates"} {
		if _, err := os.Lstat(filepath.Join(objects, "info", name)); err == nil {
			return problem("the repository uses objects of another one (objects/info/%s), which is not followed; to fix "+
				"this, run git repack -ad and remove the file", name)
		}
	}
	for folders := []string{objects}; len(folders) > 0; folders = folders[1:] {
		entries, err := os.ReadDir(folders[0])
		if err != nil {
			continue // git reports what is missing
		}
		for _, entry := range entries {
			switch {
			case entry.Type()&os.ModeSymlink != 0:
				return problem("objects of the repository are links, which are not followed")
			case entry.IsDir() && folders[0] == objects:
				folders = append(folders, filepath.Join(objects, entry.Name()))
			}
		}
	}
	return nil
}
