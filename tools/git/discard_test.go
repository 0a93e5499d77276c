package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiscardRemovesWorktreesAndTicketBranchesAndKeepsWhatWasMerged(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	h.put(two.Dir, map[string]string{"b.txt": "not merged\n"})
	h.merge("T-1.1", 1)
	left, err := h.trees.Left()
	require.NoError(t, err)
	require.Equal(t, []string{"T-2.1", "merged"}, left)
	before := h.git("rev-parse", "slop/S1")
	h.git("branch", "slop-tickets/S1/T-3.1") // its folder is gone already
	h.git("branch", "slop-tickets/S2/T-1.1") // another session's
	for _, name := range left {
		require.NoError(t, os.RemoveAll(filepath.Join(h.trees.Root, name)), "as after a kill")
	}

	require.NoError(t, h.trees.Discard(t.Context()))
	require.NoError(t, h.trees.Discard(t.Context()), "once more")
	require.NoDirExists(t, h.trees.Root)
	require.Equal(t, "main\nslop-tickets/S2/T-1.1\nslop/S1", h.git("for-each-ref", "--format=%(refname:short)",
		"refs/heads"))
	require.Equal(t, before, h.git("rev-parse", "slop/S1"))
	require.Empty(t, h.git("worktree", "prune", "--dry-run", "--verbose"))
	h.git("fsck", "--strict")
}

func TestDiscardLeavesABranchThatIsCheckedOutElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.prepare("T-1.1")
	require.NoError(t, os.RemoveAll(filepath.Join(h.trees.Root, "T-1.1")))
	h.git("worktree", "prune")
	mine := filepath.Join(t.TempDir(), "mine")
	h.git("worktree", "add", "-q", mine, "slop-tickets/S1/T-1.1")
	require.NoError(t, h.trees.Discard(t.Context()))
	require.NoDirExists(t, h.trees.Root)
	require.FileExists(t, filepath.Join(mine, "a.txt"))
	require.NotEmpty(t, h.git("rev-parse", "slop-tickets/S1/T-1.1"))
}

func TestDiscardRemovesTheBranchOfAWorktreeThatWasHalfRemoved(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.prepare("T-1.1")
	require.NoError(t, os.RemoveAll(filepath.Join(h.trees.Root, "T-1.1")))
	require.NoError(t, os.Remove(filepath.Join(h.dir, ".git", "worktrees", "T-1.1", "gitdir")))
	require.NoError(t, h.trees.Discard(t.Context()))
	require.Equal(t, "main\nslop/S1", h.git("for-each-ref", "--format=%(refname:short)", "refs/heads"))
}

func TestDiscardRemovesTheEmptyFolderThatAKilledRemovalLeft(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.prepare("T-1.1")
	admin := filepath.Join(h.dir, ".git", "worktrees", "T-1.1")
	require.NoError(t, os.RemoveAll(filepath.Join(h.trees.Root, "T-1.1")))
	require.NoError(t, os.RemoveAll(admin))
	require.NoError(t, os.MkdirAll(admin, 0o777))
	require.NoError(t, h.trees.Discard(t.Context()))
	require.NoDirExists(t, admin)
	require.Empty(t, h.git("worktree", "prune", "--dry-run", "--verbose"))
}

func TestDiscardWithoutARepositoryRemovesTheFolders(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.prepare("T-1.1")
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".git")))
	require.NoError(t, h.trees.Discard(t.Context()))
	require.NoDirExists(t, h.trees.Root)
}
