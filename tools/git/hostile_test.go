package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

func TestARepositoryInsideAWorktreeIsNotLost(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	one := h.prepare("T-1.1")
	h.put(one.Dir, map[string]string{"vendor/lib/x.txt": "x\n"})
	other := &home{t: t, dir: filepath.Join(one.Dir, "vendor", "lib")}
	other.git("init", "-q", "-b", "main")
	other.git("-c", "user.name=x", "-c", "user.email=x@y", "add", "-A")
	other.git("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "inner")
	_, err := h.trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "T-1"})
	require.ErrorContains(t, err, "vendor/lib")
	require.FileExists(t, filepath.Join(one.Dir, "vendor", "lib", "x.txt"))
	require.NoError(t, os.RemoveAll(filepath.Join(one.Dir, "vendor", "lib", ".git")))
	require.NotEmpty(t, h.merge("T-1.1", 2).Commit)
	require.Equal(t, "x", h.git("show", "slop/S1:vendor/lib/x.txt"))
}

func TestTheMergedBranchIsNotMovedUnderThePerson(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	one := h.prepare("T-1.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	h.git("worktree", "remove", "--force", filepath.Join(h.trees.Root, git.Merged))
	h.git("checkout", "-q", "slop/S1")
	before := h.status()
	_, err := h.trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "T-1"})
	require.ErrorContains(t, err, "checked out")
	require.Equal(t, before, h.status())
	h.git("checkout", "-q", "main")
	require.NotEmpty(t, h.merge("T-1.1", 2).Commit)
}

// status is where the person is.
func (h *home) status() []string {
	return []string{h.git("rev-parse", "HEAD"), h.git("status", "--porcelain=v2", "--branch")}
}

func TestTheWorktreeOfWhatIsMergedIsMadeAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	one := h.prepare("T-1.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	h.git("worktree", "remove", "--force", filepath.Join(h.trees.Root, git.Merged))
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
	require.FileExists(t, filepath.Join(h.trees.Root, git.Merged, "a.txt"))
	require.NoError(t, os.RemoveAll(filepath.Join(h.trees.Root, git.Merged)))
	two := h.prepare("T-2.1")
	h.put(two.Dir, map[string]string{"b.txt": "two\n"})
	require.NotEmpty(t, h.merge("T-2.1", 1).Commit)
	require.FileExists(t, filepath.Join(h.trees.Root, git.Merged, "b.txt"))
}

func TestAWorktreeThatIsHalfRemovedIsRemoved(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	one := h.prepare("T-1.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	done := h.merge("T-1.1", 1)
	h.put(filepath.Join(h.trees.Root, "T-1.1"), map[string]string{"left.txt": "x"})
	require.Equal(t, done, h.merge("T-1.1", 1))
	require.NoDirExists(t, filepath.Join(h.trees.Root, "T-1.1"))

	two := h.prepare("T-2.1")
	h.put(two.Dir, map[string]string{"b.txt": "two\n"})
	require.NoError(t, os.WriteFile(filepath.Join(h.trees.Root, "T-2.1.merged.json"), []byte(`"`+done.Commit+`"`), 0o600))
	require.NoError(t, os.Remove(filepath.Join(two.Dir, ".git")))
	require.Equal(t, done.Commit, h.merge("T-2.1", 1).Commit)
	require.NoDirExists(t, two.Dir)
	require.NotContains(t, h.git("worktree", "list"), "T-2.1")
}

func TestAPartialCloneIsTakenOnlyWhole(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"in/a.txt": "a\n", "out/b.txt": "b\n"})
	h.git("config", "uploadpack.allowFilter", "true")
	clone := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", "--filter=blob:none", "--sparse", "file://"+h.dir, clone)
	h.dir, h.trees.Project = clone, clone
	require.ErrorContains(t, h.trees.Check(t.Context()), "2 files of the last commit are missing")
	h.git("fetch", "-q", "--refetch", "--no-filter")
	require.NoError(t, h.trees.Check(t.Context()))
	require.FileExists(t, filepath.Join(h.prepare("T-1.1").Dir, "out", "b.txt"))
}

func TestABranchInTheWayIsToldAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"slop", "slop-tickets"} {
		h := newHome(t, map[string]string{"a.txt": "a\n"})
		h.git("branch", name)
		require.ErrorContains(t, h.trees.Check(t.Context()), "branch "+name)
	}
}

func TestWhatOnlyThePersonIgnoresIsNotCommitted(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, ".git", "info", "exclude"), []byte("notes/\n"), 0o644))
	one := h.prepare("T-1.1")
	h.put(one.Dir, map[string]string{"b.txt": "b\n", "notes/n.txt": "n\n"})
	h.merge("T-1.1", 1)
	require.Equal(t, "a.txt\nb.txt", h.git("ls-tree", "-r", "--name-only", "slop/S1"))
}

func TestPathsWithBlanksAndOtherLettersAreWorktrees(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.trees.Root = filepath.Join(t.TempDir(), "mein Ordner ü", "日本 \"x\"")
	one := h.prepare("T-1.1")
	h.put(one.Dir, map[string]string{"nä me.txt": "x\n"})
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
}

func TestADetachedHeadAndADirtyIndexStayAsTheyAre(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	h.git("checkout", "-q", "--detach")
	h.put(h.dir, map[string]string{"a.txt": "mine\n", "new.txt": "n\n"})
	h.git("add", "a.txt", "new.txt")
	h.git("rm", "-q", "--cached", "b.txt")
	h.git("update-index", "--assume-unchanged", "a.txt")
	index, err := os.ReadFile(filepath.Join(h.dir, ".git", "index"))
	require.NoError(t, err)
	for _, hook := range []string{"post-checkout", "pre-commit", "reference-transaction", "post-index-change",
		"post-merge", "post-commit"} {
		h.put(filepath.Join(h.dir, ".git", "hooks"), map[string]string{hook: "#!/bin/sh\ntouch " + filepath.Join(h.dir,
			".git", "RAN") + "\n"})
		require.NoError(t, os.Chmod(filepath.Join(h.dir, ".git", "hooks", hook), 0o755))
	}
	config, err := os.ReadFile(filepath.Join(h.dir, ".git", "config"))
	require.NoError(t, err)
	ran := filepath.Join(h.dir, ".git", "RAN")
	hostile := string(config) + "[core]\n\tfsmonitor = touch " + ran + "\n[filter \"x\"]\n\tclean = touch " + ran +
		"\n\tsmudge = touch " + ran + "\n\trequired = true\n[merge \"x\"]\n\tdriver = touch " + ran +
		"\n[diff]\n\texternal = touch " + ran + "\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = " + ran + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, ".git", "config"), []byte(hostile), 0o644))
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n", ".gitattributes": "* filter=x merge=x diff=x\n"})
	h.put(two.Dir, map[string]string{"a.txt": "two\n", ".gitattributes": "* filter=x merge=x diff=x\n"})
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
	require.NotEmpty(t, h.merge("T-2.1", 1).Files)
	require.NoFileExists(t, ran)
	after, err := os.ReadFile(filepath.Join(h.dir, ".git", "index"))
	require.NoError(t, err)
	require.Equal(t, string(index), string(after))
	head, err := os.ReadFile(filepath.Join(h.dir, ".git", "HEAD"))
	require.NoError(t, err)
	require.Len(t, string(head), 41, "still detached")
}
