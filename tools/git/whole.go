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

// whole refuses a partial clone in which files of the commit are missing: git would fetch them when a
// worktree is filled, and nothing is fetched here.
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
		err = problem("the repository is a partial clone in which %d files of the last commit are missing, and tickets do "+
			"not fetch: git fetch --refetch --no-filter brings them, or set isolation = \"shared\"", strings.Count(missing, "?"))
	}
	return err
}
