package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// TestTheRepositorysConfigurationIsOnlyRead: commands that write could run hooks that it names.
func TestTheRepositorysConfigurationIsOnlyRead(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	log := filepath.Join(t.TempDir(), "log")
	spy := log + ".git"
	text := fmt.Sprintf("#!/bin/sh\ncase \"$GIT_DIR\" in */slop-git-*) ;; *) for a; do case $a in "+
		"rev-parse|ls-tree|config|merge-base|update-ref|worktree|read-tree|symbolic-ref) echo $a >>'%s'; break;; esac; "+
		"done;; esac\nexec '%s' \"$@\"\n", log, h.trees.Program.Path)
	h.program(spy, text)
	h.trees.Program.Path = spy
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	h.put(two.Dir, map[string]string{"a.txt": "two\n"})
	h.merge("T-1.1", 1)
	h.merge("T-2.1", 1)
	_, err := h.take(2, map[string]string{git.AllOthers: git.SideTicket})
	require.NoError(t, err)
	hold, err := h.trees.HoldMerged(t.Context())
	require.NoError(t, err)
	h.put(hold.Dir, map[string]string{"a.txt": "a\n"})
	require.NoError(t, hold.Commit(t.Context(), "undo"))
	hold.Release()
	require.NoError(t, h.trees.Tidy(t.Context()))
	ran := map[string]bool{}
	for command := range strings.FieldsSeq(textOf(t, log)) {
		ran[command] = true
	}
	require.Equal(t, map[string]bool{"rev-parse": true, "ls-tree": true, "config": true}, ran)
}

func TestAWorktreeIsAsGitMakesIt(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.git("worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "T-1.1"))
	one := h.prepare("T-1.1")
	h.git("-C", one.Dir, "status")
	require.Equal(t, one.Branch, h.git("-C", one.Dir, "symbolic-ref", "--short", "HEAD"))
	h.git("worktree", "lock", one.Dir)
	h.git("worktree", "prune")
	h.git("pack-refs", "--all", "--prune")
	require.Contains(t, h.git("log", "-g", "--format=%gs", one.Branch), "slop")
	require.Contains(t, h.git("worktree", "list"), realPath(t, one.Dir))
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	require.Empty(t, h.merge("T-1.1", 1).Left)
	require.Len(t, strings.Split(h.git("worktree", "list"), "\n"), 3, "the person's two and what is merged")
	require.Empty(t, h.git("worktree", "prune", "--verbose"))
}

func TestBranchesAndWorktreesAreMadeThroughNoLink(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"worktrees", "refs/heads/slop", "refs/heads/slop-tickets", "logs",
		"logs/refs/heads/slop"} {
		h := newHome(t, map[string]string{"a.txt": "a\n"})
		outside := t.TempDir()
		link := filepath.Join(h.dir, ".git", name)
		require.NoError(t, os.RemoveAll(link))
		require.NoError(t, os.Symlink(outside, link))
		require.ErrorContains(t, h.trees.Check(t.Context()), "is a link", name)
		_, err := h.trees.Prepare(t.Context(), "T-1.1")
		require.ErrorContains(t, err, name)
		left, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	return out
}

func TestSessionsOfOneRepositoryDoNotMeet(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	var all sync.WaitGroup
	failed := make([]error, 3)
	for i := range failed {
		all.Go(func() {
			trees := h.trees
			trees.Session = fmt.Sprintf("S%d", i)
			trees.Root = filepath.Join(h.trees.Root, trees.Session)
			place, err := trees.Prepare(t.Context(), "T-1.1")
			if err == nil {
				err = os.WriteFile(filepath.Join(place.Dir, "a.txt"), []byte(trees.Session), 0o600)
			}
			if err == nil {
				_, err = trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "x"})
			}
			failed[i] = err
		})
	}
	all.Wait()
	for i, err := range failed {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("S%d", i), h.git("show", fmt.Sprintf("slop/S%d:a.txt", i)))
	}
}

func TestABranchIsNotMovedUnderAPersonWhoseFolderIsAPattern(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	odd := filepath.Join(t.TempDir(), "my[project]*")
	require.NoError(t, os.Rename(h.dir, odd))
	h.dir, h.trees.Project = odd, odd
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	require.NoError(t, h.trees.Tidy(t.Context()))
	place := filepath.Join(t.TempDir(), "place")
	h.git("worktree", "add", "-q", place, "slop/S1")
	_, err := h.trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "x"})
	require.ErrorContains(t, err, "checked out in")
	require.Empty(t, h.git("-C", place, "status", "--porcelain"))
}

func TestWhatWasMergedIsNotLeftOutWhenItsBranchIsGone(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	commit := h.merge("T-1.1", 1).Commit
	h.git("branch", "-m", "slop/S1", "mine")
	for _, name := range []string{"T-2.1", git.Merged} {
		_, err := h.trees.Prepare(t.Context(), name)
		require.ErrorContains(t, err, "git branch slop/S1 "+commit)
	}
	h.git("merge", "-q", "mine")
	require.Equal(t, commit, h.prepare("T-2.1").Base, "the person has it in his own branch")
}

// TestAnIndexInTwoFilesStaysWhole: git in a worktree, by a model or a person, may have split it.
func TestAnIndexInTwoFilesStaysWhole(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"})
	h.git("config", "core.splitIndex", "true")
	h.git("config", "splitIndex.maxPercentChange", "0")
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"a": "one\n"})
	h.put(two.Dir, map[string]string{"a": "two\n", "b": "two\n"})
	h.git("-C", two.Dir, "add", "b")
	shared, err := filepath.Glob(filepath.Join(h.dir, ".git", "worktrees", "T-2.1", "sharedindex.*"))
	require.NoError(t, err)
	require.NotEmpty(t, shared)
	h.merge("T-1.1", 1)
	require.NotEmpty(t, h.merge("T-2.1", 1).Files)
	h.put(two.Dir, map[string]string{"a": "both\n"})
	h.git("-C", two.Dir, "status")
	require.NotEmpty(t, h.merge("T-2.1", 2).Commit)
}
