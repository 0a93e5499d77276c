package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// someonesWork is a session with merged work, in whose merged worktree somebody works.
func someonesWork(t *testing.T, name string) (h *home, file string) {
	t.Helper()
	h = newHome(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	h.merge("T-1.1", 1)
	merged := filepath.Join(h.trees.Root, git.Merged)
	h.put(merged, map[string]string{name: "mine\n"})
	return h, filepath.Join(merged, name)
}

func TestAnUndoWritesOverNobodysWork(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.txt", "b.txt", "mine.txt"} {
		h, file := someonesWork(t, name)
		require.ErrorContains(t, h.trees.Tidy(t.Context()), "were changed")
		_, err := h.trees.HoldMerged(t.Context())
		require.ErrorContains(t, err, "were changed", name)
		require.Equal(t, "mine\n", textOf(t, file))
		require.NoError(t, os.Rename(file, filepath.Join(t.TempDir(), "elsewhere")))
		if name != "mine.txt" {
			h.git("-C", filepath.Dir(file), "checkout", "-q", "--", name)
		}
		hold, err := h.trees.HoldMerged(t.Context())
		require.NoError(t, err)
		hold.Release()
		h.put(filepath.Dir(file), map[string]string{"mine.txt": "mine\n"})
		_, err = h.trees.HoldMerged(t.Context())
		require.ErrorContains(t, err, "were changed", "what comes after an undo is somebody's, too")
	}
}

func TestAMergeWritesOverNobodysWork(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.txt", "b.txt", "new.txt"} {
		h, file := someonesWork(t, name)
		onto := h.git("rev-parse", "slop/S1")
		h.put(h.prepare("T-2.1").Dir, map[string]string{name: "two\n"})
		_, err := h.trees.Merge(t.Context(), git.MergeRequest{Name: "T-2.1", Try: 1, Title: "x"})
		require.ErrorContains(t, err, "were changed", name)
		require.Equal(t, "mine\n", textOf(t, file))
		require.Equal(t, onto, h.git("rev-parse", "slop/S1"), "nothing is half merged")
		h.put(h.prepare("T-3.1").Dir, map[string]string{"c.txt": "three\n"})
		require.NotEmpty(t, h.merge("T-3.1", 1).Commit, "other files are merged")
		h.prepare("T-4.1")
		require.NotEmpty(t, h.merge("T-4.1", 1).Commit, "there is nothing to merge")
		require.Equal(t, "mine\n", textOf(t, file))
		require.Equal(t, "three\n", textOf(t, filepath.Join(filepath.Dir(file), "c.txt")))
		require.NoError(t, os.Rename(file, filepath.Join(t.TempDir(), "elsewhere")))
		require.NotEmpty(t, h.merge("T-2.1", 2).Commit, name)
		require.Equal(t, "two\n", textOf(t, file))
	}
}

func TestABranchThatWentOnWithoutItsFilesIsNobodysWork(t *testing.T) {
	t.Parallel()
	h, file := someonesWork(t, "a.txt")
	h.put(filepath.Dir(file), map[string]string{"a.txt": "one\n"})
	further := func() {
		h.git("update-ref", "refs/heads/slop/S1", h.git("-c", "user.name=x", "-c", "user.email=x@y", "commit-tree",
			"main^{tree}", "-p", "slop/S1", "-m", "mine"))
	}
	further()
	hold, err := h.trees.HoldMerged(t.Context())
	require.NoError(t, err)
	require.Equal(t, "a\n", textOf(t, file))
	hold.Release()
	h.put(h.prepare("T-2.1").Dir, map[string]string{"a.txt": "two\n"})
	h.merge("T-2.1", 1)
	h.put(h.prepare("T-3.1").Dir, map[string]string{"a.txt": "three\n"})
	further()
	h.put(h.prepare("T-4.1").Dir, map[string]string{"b.txt": "four\n"})
	require.NotEmpty(t, h.merge("T-4.1", 1).Commit)
	require.Equal(t, "a\n", textOf(t, file))
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
