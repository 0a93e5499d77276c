package git_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// home is a repository of a person with one commit.
type home struct {
	t     *testing.T
	dir   string
	trees git.Worktrees
}

func newHome(t *testing.T, files map[string]string) *home {
	t.Helper()
	return newHomeIn(t, t.TempDir(), files)
}

// newHomeIn makes it in a folder that need not exist.
func newHomeIn(t *testing.T, dir string, files map[string]string) *home {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	h := &home{t: t, dir: dir}
	h.git("init", "-q", "-b", "main")
	h.git("config", "user.name", "Ada")
	h.git("config", "user.email", "ada@example.com")
	h.put(h.dir, files)
	h.git("add", "-A")
	h.git("commit", "-qm", "begin")
	h.trees = git.Worktrees{Program: git.Program{Path: program, Search: os.Getenv("PATH")}, Project: h.dir,
		Root: filepath.Join(t.TempDir(), "worktrees"), Session: "S1"}
	return h
}

func (h *home) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = h.dir
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (h *home) put(dir string, files map[string]string) {
	h.t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, name)
		require.NoError(h.t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(h.t, os.WriteFile(full, []byte(text), 0o644))
	}
}

func (h *home) prepare(name string) git.Worktree {
	h.t.Helper()
	out, err := h.trees.Prepare(h.t.Context(), name)
	require.NoError(h.t, err)
	return out
}

func (h *home) merge(name string, try int) git.Merge {
	h.t.Helper()
	out, err := h.trees.Merge(h.t.Context(), git.MergeRequest{Name: name, Try: try, Title: name + ": mend"})
	require.NoError(h.t, err)
	return out
}

// state is everything of the person that nobody may touch.
func (h *home) state() []string {
	h.t.Helper()
	index, err := os.ReadFile(filepath.Join(h.dir, ".git", "index"))
	require.NoError(h.t, err)
	return []string{h.git("rev-parse", "HEAD"), h.git("symbolic-ref", "HEAD"), h.git("rev-parse", "main"), string(index),
		h.git("status", "--porcelain")}
}

func TestWorkOfTwoWorktreesIsMergedAndThePersonsOwnIsNotTouched(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n"})
	h.put(h.dir, map[string]string{"a.txt": "mine\n", "new.txt": "mine\n"})
	h.git("add", "a.txt")
	before := h.state()
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	require.Contains(t, one.Note, "1 files that are not committed")
	require.Empty(t, two.Note, "it is said once")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	h.put(two.Dir, map[string]string{"sub/b.txt": "two\n", "sub/c.txt": "new\n"})
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
	last := h.merge("T-2.1", 1)
	require.Equal(t, last.Commit, h.git("rev-parse", "slop/S1"))
	require.Equal(t, "one", h.git("show", "slop/S1:a.txt"))
	require.Equal(t, "two", h.git("show", "slop/S1:sub/b.txt"))
	require.Equal(t, "new", h.git("show", "slop/S1:sub/c.txt"))
	require.Equal(t, "slop <slop@localhost>", h.git("log", "-1", "--format=%an <%ae>", "slop/S1"))
	require.Equal(t, before, h.state())
	require.NoDirExists(t, one.Dir)
	require.Empty(t, h.git("for-each-ref", "refs/heads/slop-tickets"), "branches whose work is merged are gone")
	require.FileExists(t, filepath.Join(h.trees.Root, git.Merged, "sub", "c.txt"))
	require.Empty(t, git.Merge{Commit: h.merge("T-2.1", 1).Commit}.Files, "asked again it is merged still")
	require.Equal(t, "new", h.git("show", "slop/S1:sub/c.txt"))
	three := h.prepare("T-3.1")
	require.Equal(t, last.Commit, three.Base, "who comes later starts from what was merged")
}

func TestAConflictWaitsInTheFilesAndNothingIsLost(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	h.put(two.Dir, map[string]string{"a.txt": "two\n", "extra.txt": "x\n"})
	first := h.merge("T-1.1", 1)
	got := h.merge("T-2.1", 1)
	require.Equal(t, git.Merge{Onto: first.Commit, Files: []string{"a.txt"}}, got)
	require.Equal(t, "two", h.git("show", two.Branch+":a.txt"), "its own work is on its branch")
	text, err := os.ReadFile(filepath.Join(two.Dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "<<<<<<< merged\none\n=======\ntwo\n>>>>>>> T-2.1\n", string(text))

	h.put(two.Dir, map[string]string{"a.txt": "half <<<\n"})
	require.Equal(t, got, h.merge("T-2.1", 1), "the same try is told the same")
	text, err = os.ReadFile(filepath.Join(two.Dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "half <<<\n", string(text), "and leaves a person's work alone")

	h.put(two.Dir, map[string]string{"a.txt": "<<<<<<< merged\none\n=======\ntwo\n>>>>>>> T-2.1\n"})
	require.Equal(t, got, h.merge("T-2.1", 2), "marks that are left are no resolution")
	h.put(two.Dir, map[string]string{"a.txt": "both\n"})
	require.NotEmpty(t, h.merge("T-2.1", 3).Commit)
	require.Equal(t, "both", h.git("show", "slop/S1:a.txt"))
	require.Equal(t, "x", h.git("show", "slop/S1:extra.txt"))
}

func TestAWorktreeThatWasLeftHalfMadeIsMadeAnew(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	one := h.prepare("T-1.1")
	require.NoError(t, os.Remove(filepath.Join(h.trees.Root, "T-1.1.ready.json")))
	require.NoError(t, os.Remove(filepath.Join(one.Dir, "a.txt")))
	again := h.prepare("T-1.1")
	require.Equal(t, one, git.Worktree{Dir: again.Dir, Branch: again.Branch, Base: again.Base, Note: one.Note})
	require.FileExists(t, filepath.Join(one.Dir, "a.txt"))
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	require.Equal(t, one.Dir, h.prepare("T-1.1").Dir)
	text, err := os.ReadFile(filepath.Join(one.Dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\n", string(text), "one that is whole is left alone")
	long := time.Now().Add(-time.Hour)
	for _, lock := range []string{"worktrees/T-1.1/index.lock", "refs/heads/slop-tickets/S1/T-1.1.lock"} {
		lock = filepath.Join(h.dir, ".git", lock)
		require.NoError(t, os.WriteFile(lock, nil, 0o600))
		require.NoError(t, os.Chtimes(lock, long, long))
	}
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit, "locks that a killed git left do not count")
}

func TestNothingRunsThatTheRepositoryConfigures(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n", ".gitattributes": "* filter=evil merge=evil diff=evil\n"})
	trap := filepath.Join(t.TempDir(), "ran")
	for _, name := range []string{"post-checkout", "pre-commit", "post-commit", "post-merge", "reference-transaction",
		"post-index-change"} {
		hook := filepath.Join(h.dir, ".git", "hooks", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
		require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+trap+"\n"), 0o755))
	}
	for _, key := range []string{"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver",
		"diff.evil.command", "core.fsmonitor", "gpg.program"} {
		h.git("config", key, "touch "+trap)
	}
	h.git("config", "commit.gpgsign", "true")
	one, two := h.prepare("T-1.1"), h.prepare("T-2.1")
	h.put(one.Dir, map[string]string{"a.txt": "one\n"})
	h.put(two.Dir, map[string]string{"b.txt": "two\n"})
	require.NotEmpty(t, h.merge("T-1.1", 1).Commit)
	require.NotEmpty(t, h.merge("T-2.1", 1).Commit)
	require.NoFileExists(t, trap)
}

func TestWhatCannotHaveWorktreesSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	none := h.trees
	none.Project = t.TempDir()
	require.ErrorContains(t, none.Check(context.Background()), "git init")
	h.git("update-index", "--add", "--cacheinfo", "160000,"+h.git("rev-parse", "HEAD")+",module")
	h.git("commit", "-qm", "module")
	require.ErrorContains(t, h.trees.Check(context.Background()), "submodules")
	h.git("checkout", "-q", "--orphan", "empty")
	require.ErrorContains(t, h.trees.Check(context.Background()), "no commit yet")
}

func TestAWorktreeWhoseGitFileLeadsElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	h, other := newHome(t, map[string]string{"a.txt": "a\n"}), newHome(t, map[string]string{"a.txt": "other\n"})
	one := h.prepare("T-1.1")
	require.NoError(t, os.WriteFile(filepath.Join(one.Dir, ".git"), []byte("gitdir: "+filepath.Join(other.dir, ".git")+
		"\n"), 0o644))
	_, err := h.trees.Merge(t.Context(), git.MergeRequest{Name: "T-1.1", Try: 1, Title: "x"})
	var problem *git.Problem
	require.ErrorAs(t, err, &problem)
	require.Empty(t, other.git("status", "--porcelain"))
}
