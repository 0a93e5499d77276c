package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

func TestTwoProcessesThatTakeTheSameMergeMergeOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	var both sync.WaitGroup
	var out [2]git.Merge
	for i := range out {
		both.Go(func() { out[i] = h.merge("T-1.1", 1) })
	}
	both.Wait()
	require.NotEmpty(t, out[0].Commit)
	require.Equal(t, out[0], out[1])
	require.Equal(t, "T-1.1: mend\nbegin", h.git("log", "--format=%s", "slop/S1"))
}

func TestAProcessThatIsStoppedHoldsNobodyUpForEver(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	stopped, err := h.trees.HoldMerged(t.Context())
	require.NoError(t, err)
	trees := h.trees
	trees.Patience = 20 * time.Millisecond
	_, err = trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "x"})
	require.ErrorIs(t, err, git.ErrBusy)
	stopped.Release()
	require.NotEmpty(t, h.merge("T-1.1", 2).Commit)
}

func TestWhatIsNotAllowedIsAskedForInTurnAndLeftAlone(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	before, over := h.git("for-each-ref"), errors.New("over")
	trees := h.trees
	trees.Allow = func(ctx context.Context) error {
		other := h.trees
		other.Patience = time.Millisecond
		_, err := other.Prepare(ctx, "T-3.1")
		require.ErrorIs(t, err, git.ErrBusy, "nobody else is at work meanwhile")
		return over
	}
	_, err := trees.Prepare(t.Context(), "T-2.1")
	require.ErrorIs(t, err, over)
	_, err = trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "x"})
	require.ErrorIs(t, err, over)
	require.Equal(t, before, h.git("for-each-ref"))
	require.NoDirExists(t, filepath.Join(h.trees.Root, "T-2.1"))
}

func TestABranchThatCannotBeRemovedSpoilsNoMerge(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	inTheWay := filepath.Join(h.dir, ".git", "packed-refs.lock") // as somebody's git gc holds it
	require.NoError(t, os.Mkdir(inTheWay, 0o755))
	done := h.merge("T-1.1", 1)
	require.NotEmpty(t, done.Commit)
	require.Contains(t, done.Left, "slop-tickets/S1/T-1.1 cannot be removed")
	require.Equal(t, "one", h.git("show", "slop/S1:a.txt"))
	require.NoError(t, os.Remove(inTheWay))
	require.Empty(t, h.merge("T-1.1", 1).Left)
	require.Empty(t, h.git("for-each-ref", "refs/heads/slop-tickets"))
}

func TestAWorktreeThatAPersonRemovedIsTold(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	one := h.prepare("T-1.1")
	require.NoError(t, os.RemoveAll(one.Dir))
	_, err := h.trees.Prepare(t.Context(), "T-1.1")
	require.ErrorContains(t, err, "is gone")
	_, err = h.trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "x"})
	require.ErrorContains(t, err, "no longer a worktree of this project")
	require.NotEmpty(t, h.prepare("T-1.2").Dir, "another attempt goes on")
}

// TestModesLinksAndRemovedFilesAreMerged as git keeps them.
func TestModesLinksAndRemovedFilesAreMerged(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"run.sh": "#!/bin/sh\n", "gone": "x\n", "Case": "x\n"})
	one := h.prepare("T-1.1")
	require.NoError(t, os.Chmod(filepath.Join(one.Dir, "run.sh"), 0o755))
	require.NoError(t, os.Remove(filepath.Join(one.Dir, "gone")))
	require.NoError(t, os.Rename(filepath.Join(one.Dir, "Case"), filepath.Join(one.Dir, "case")))
	require.NoError(t, os.Symlink("run.sh", filepath.Join(one.Dir, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(one.Dir, "odd"), []byte("o\n"), 0o600))
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
	require.Equal(t, "100644 case\n120000 link\n100644 odd\n100755 run.sh",
		h.git("ls-tree", "--format=%(objectmode) %(path)", "slop/S1"))
}

func TestAnUndoOfWhatIsMergedIsOneCommit(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	merged := h.merge("T-1.1", 1).Commit
	hold, err := h.trees.HoldMerged(t.Context())
	require.NoError(t, err)
	require.Equal(t, "slop/S1", hold.Branch)
	h.put(hold.Dir, map[string]string{"a.txt": "half"})
	hold.Release() // as a process that dies
	hold, err = h.trees.HoldMerged(t.Context())
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(hold.Dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\n", string(text), "what a holder left half done is cleared")
	require.NoError(t, hold.Commit(t.Context(), "nothing"))
	require.Equal(t, merged, h.git("rev-parse", "slop/S1"))
	h.put(hold.Dir, map[string]string{"a.txt": "a\n"})
	require.NoError(t, hold.Commit(t.Context(), "undo"))
	hold.Release()
	require.Equal(t, "undo\nT-1.1: mend\nbegin", h.git("log", "--format=%s", "slop/S1"))

	h.git("worktree", "remove", "--force", filepath.Join(h.trees.Root, git.Merged))
	h.git("checkout", "-q", "slop/S1")
	_, err = h.trees.HoldMerged(t.Context())
	require.ErrorContains(t, err, "checked out")
}

func TestRepositoriesOfOtherKinds(t *testing.T) {
	t.Parallel()
	t.Run("a reftable is refused", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, map[string]string{"a.txt": "a\n"})
		require.NoError(t, os.Mkdir(filepath.Join(h.dir, ".git", "reftable"), 0o755))
		require.ErrorContains(t, h.trees.Check(t.Context()), "reftable")
	})
	t.Run("a bare one is refused", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, map[string]string{"a.txt": "a\n"})
		h.git("clone", "-q", "--bare", ".", "bare.git")
		h.trees.Project = filepath.Join(t.TempDir(), "bare")
		require.NoError(t, os.Rename(filepath.Join(h.dir, "bare.git"), h.trees.Project))
		require.ErrorContains(t, h.trees.Check(t.Context()), "git init")
	})
	t.Run("a worktree of a bare one", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, map[string]string{"a.txt": "a\n"})
		bare := filepath.Join(t.TempDir(), "bare")
		h.git("clone", "-q", "--bare", ".", bare)
		place := filepath.Join(t.TempDir(), "place")
		h.git("-C", bare, "worktree", "add", "-q", place)
		h.dir, h.trees.Project = place, place
		h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
		require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
		require.Equal(t, "one", h.git("show", "slop/S1:a.txt"))
		require.Empty(t, h.git("status", "--porcelain"))
	})
	t.Run("one of SHA-256", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, map[string]string{"a.txt": "a\n"})
		require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".git")))
		h.git("init", "-q", "-b", "main", "--object-format=sha256")
		h.git("add", "-A")
		h.git("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "begin")
		one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
		h.put(one.Dir, map[string]string{"a.txt": "one\n"})
		h.put(two.Dir, map[string]string{"a.txt": "two\n"})
		require.Len(t, h.merge("T-1.1", 1).Commit, 64)
		require.NotEmpty(t, h.merge("T-2.1", 1).Files)
	})
}

func TestTheWorktreeOfWhatIsMergedGoesWithTheSession(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n", ".gitignore": "built\n"})
	require.NoError(t, h.trees.Tidy(t.Context()), "there is nothing yet")
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	h.merge("T-1.1", 1)
	merged := filepath.Join(h.trees.Root, git.Merged)
	h.put(merged, map[string]string{"mine.txt": "m\n"})
	require.ErrorContains(t, h.trees.Tidy(t.Context()), "were changed")
	require.FileExists(t, filepath.Join(merged, "mine.txt"))
	require.NoError(t, os.Remove(filepath.Join(merged, "mine.txt")))
	h.put(merged, map[string]string{"built": "x\n"})
	require.NoError(t, h.trees.Tidy(t.Context()))
	require.NoDirExists(t, merged)
	require.NotContains(t, h.git("worktree", "list"), "merged")
	hold, err := h.trees.HoldMerged(t.Context())
	require.NoError(t, err, "an undo makes it again")
	require.FileExists(t, filepath.Join(hold.Dir, "a.txt"))
	hold.Release()
	require.NoError(t, h.trees.Tidy(t.Context()))
	h.git("checkout", "-q", "slop/S1")
}
