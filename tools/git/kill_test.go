package git_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// victimVariable holds the work of a process that is to be killed.
const victimVariable = "SLOP_GIT_VICTIM"

// work is what a process does: prepare a place, or merge.
type work struct {
	Trees   git.Worktrees
	Prepare string
	Merge   git.MergeRequest
	Hold    bool
}

func (w work) do(t *testing.T) (git.Merge, error) {
	switch {
	case w.Prepare != "":
		_, err := w.Trees.Prepare(t.Context(), w.Prepare)
		return git.Merge{}, err
	case w.Hold:
		hold, err := w.Trees.HoldMerged(t.Context())
		if err != nil {
			return git.Merge{}, err
		}
		defer hold.Release()
		if err := os.WriteFile(filepath.Join(hold.Dir, "a.txt"), []byte("undone\n"), 0o644); err != nil {
			return git.Merge{}, err
		}
		return git.Merge{}, hold.Commit(t.Context(), "undo")
	}
	return w.Trees.Merge(t.Context(), w.Merge)
}

// TestVictim is the process that is killed; alone it does nothing.
func TestVictim(t *testing.T) {
	t.Parallel()
	raw := os.Getenv(victimVariable)
	if raw == "" {
		t.Skip("only run by the tests of kills")
	}
	var w work
	require.NoError(t, json.Unmarshal([]byte(raw), &w))
	_, err := w.do(t)
	require.NoError(t, err)
}

// knife is a git that kills the process that calls it for the n-th time, before
// the command, after it, or in it, when it has left the lock of its index.
func (h *home) knife(n int, when string) git.Program {
	h.t.Helper()
	count := filepath.Join(h.t.TempDir(), "count")
	path := count + ".git"
	text := fmt.Sprintf(`#!/bin/sh
echo >>'%[1]s'
[ "$(wc -l <'%[1]s')" = %[2]d ] || exec '%[3]s' "$@"
[ %[4]s != after ] || '%[3]s' "$@"
case "%[4]s $GIT_INDEX_FILE" in "in "*/worktrees/*) touch -d '1 hour ago' "$GIT_INDEX_FILE.lock";; esac
kill -9 $PPID
sleep 10
`, count, n, h.trees.Program.Path, when)
	h.program(path, text)
	return git.Program{Path: path, Search: os.Getenv("PATH")}
}

// program writes a script. Another process does it: a program that a test starts meanwhile would hold
// a file of ours open, and nobody can run a file that somebody writes.
func (h *home) program(path, text string) {
	h.t.Helper()
	cmd := exec.Command("sh", "-c", `cat >"$1" && chmod +x "$1"`, "sh", path)
	cmd.Stdin = strings.NewReader(text)
	require.NoError(h.t, cmd.Run())
}

// stab does some work in a process that is killed at its n-th command; false where it came to its end before.
func (h *home) stab(w work, n int, when string) bool {
	h.t.Helper()
	w.Trees = h.trees
	w.Trees.Program = h.knife(n, when)
	raw, err := json.Marshal(w)
	require.NoError(h.t, err)
	cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$")
	cmd.Env = append(os.Environ(), victimVariable+"="+string(raw))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	require.Equal(h.t, -1, cmd.ProcessState.ExitCode(), "it was killed and did not fail: %s", out)
	return true
}

// end is what matters of a session's repository: what is merged, how, and what else is there.
func (h *home) end() []string {
	h.t.Helper()
	locks, err := exec.Command("find", filepath.Join(h.dir, ".git"), "-name", "*.lock").Output()
	require.NoError(h.t, err)
	files, err := exec.Command("sh", "-c", `cd "$1" && grep -r . --exclude=.git --exclude='*.json' . | sort`, "sh",
		h.trees.Root).Output()
	require.NoError(h.t, err)
	commits := strings.Split(h.git("log", "--format=%s", "slop/S1"), "\n")
	slices.Sort(commits) // those of one second come in any order
	places := strings.Split(h.git("worktree", "list", "--porcelain"), "\n")
	// which the branch tells
	places = slices.DeleteFunc(places, func(line string) bool { return strings.HasPrefix(line, "HEAD ") })
	return append(h.state(), h.git("rev-parse", "slop/S1^{tree}"), strings.Join(commits, " "),
		h.git("for-each-ref", "--format=%(refname)"),
		strings.Join(places, " "), string(locks), string(files), h.git("fsck", "--no-dangling"))
}

// again puts everything back as it was when keep was called.
func (h *home) keep() (again func()) {
	h.t.Helper()
	kept := h.t.TempDir()
	run := func(args ...string) {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		require.NoError(h.t, err, "%s", out)
	}
	run("cp", "-a", h.dir, filepath.Join(kept, "home"))
	run("cp", "-a", filepath.Dir(h.trees.Root), filepath.Join(kept, "trees"))
	return func() {
		run("rm", "-rf", h.dir, filepath.Dir(h.trees.Root))
		run("cp", "-a", filepath.Join(kept, "home"), h.dir)
		run("cp", "-a", filepath.Join(kept, "trees"), filepath.Dir(h.trees.Root))
	}
}

// killed are the works of which every step is cut, and what is there before.
func killed() map[string]struct {
	before func(h *home)
	work   work
} {
	merge := func(name string, try int) work {
		return work{Merge: git.MergeRequest{Name: name, Try: try, Title: name}}
	}
	one := func(h *home) { h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n", "new/x": "x\n"}) }
	two := func(text string) func(h *home) {
		return func(h *home) {
			place := h.prepare("T-2.1")
			require.NoError(h.t, os.Rename(filepath.Join(place.Dir, "b.txt"), filepath.Join(place.Dir, "c.txt")))
			h.put(place.Dir, map[string]string{"a.txt": text})
			one(h)
			h.merge("T-1.1", 1)
		}
	}
	type cut = struct {
		before func(h *home)
		work   work
	}
	return map[string]cut{
		"a place is made":         {one, work{Prepare: "T-2.1"}},
		"the first place is made": {func(*home) {}, work{Prepare: "T-1.1"}},
		"the first merge":         {one, merge("T-1.1", 1)},
		"a merge of both sides":   {two("a\n"), merge("T-2.1", 1)},
		"a conflict":              {two("two\n"), merge("T-2.1", 1)},
		"its resolution": {func(h *home) {
			two("two\n")(h)
			h.merge("T-2.1", 1)
			h.put(filepath.Join(h.trees.Root, "T-2.1"), map[string]string{"a.txt": "both\n"})
		}, merge("T-2.1", 2)},
		"a side is taken": {func(h *home) {
			two("two\n")(h)
			h.merge("T-2.1", 1)
		}, work{Merge: git.MergeRequest{Name: "T-2.1", Try: 2, Title: "T-2.1",
			Take: map[string]string{"*": git.SideTicket}}}},
		"an undo of what is merged": {func(h *home) { one(h); h.merge("T-1.1", 1) }, work{Hold: true}},
	}
}

// TestEachWorkerIsKilledALittleLaterThanTheOneBefore until each piece of work is done.
func TestEachWorkerIsKilledALittleLaterThanTheOneBefore(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	h.put(h.dir, map[string]string{"a.txt": "mine\n", "untracked": "mine\n"})
	h.git("add", "a.txt")
	before, kills := h.state(), 0
	do := func(w work) {
		for n := 3; h.stab(w, n, "after"); n += 5 {
			kills++
		}
	}
	merge := func(name string, try int) work {
		return work{Merge: git.MergeRequest{Name: name, Try: try, Title: name}}
	}
	do(work{Prepare: "T-1.1"})
	do(work{Prepare: "T-2.1"})
	place := filepath.Join(h.trees.Root, "T-2.1")
	h.put(filepath.Join(h.trees.Root, "T-1.1"), map[string]string{"a.txt": "one\n", "new/x": "x\n"})
	require.NoError(t, os.Rename(filepath.Join(place, "b.txt"), filepath.Join(place, "c.txt")))
	h.put(place, map[string]string{"a.txt": "two\n"})
	do(merge("T-1.1", 1))
	do(merge("T-2.1", 1))
	require.Equal(t, []string{"a.txt"}, h.merge("T-2.1", 1).Files)
	h.put(place, map[string]string{"a.txt": "both\n"})
	do(merge("T-2.1", 2))
	require.Greater(t, kills, 8)
	want := append(before, h.git("rev-parse", "slop/S1^{tree}"), "T-1.1 T-2.1 T-2.1 begin",
		"refs/heads/main\nrefs/heads/slop/S1",
		fmt.Sprintf("worktree %s branch refs/heads/main  worktree %s/merged branch refs/heads/slop/S1", h.dir, h.trees.Root),
		"",
		"./merged/a.txt:both\n./merged/c.txt:b\n./merged/new/x:x\n", "")
	require.Equal(t, want, h.end())
}

// TestAMergeThatWasCutShortIsToldWhereNothingIsAllowed kills a process that merges after each of its commands.
func TestAMergeThatWasCutShortIsToldWhereNothingIsAllowed(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"a.txt": "a\n"})
	h.put(h.prepare("T-1.1").Dir, map[string]string{"a.txt": "one\n"})
	again, before, over := h.keep(), h.git("rev-parse", "slop/S1"), errors.New("over")
	trees, w, told := h.trees, work{Merge: git.MergeRequest{Name: "T-1.1", Try: 1, Title: "T-1.1"}}, 0
	trees.Allow = func(context.Context) error { return over }
	for n, alive := 1, true; alive; n++ {
		again()
		alive = h.stab(w, n, "after")
		got, err := trees.Merge(t.Context(), w.Merge)
		if stands := h.git("rev-parse", "slop/S1"); stands == before {
			require.ErrorIs(t, err, over, "command %d", n)
		} else {
			require.NoError(t, err, "command %d", n)
			require.Equal(t, stands, got.Commit)
			told++
		}
	}
	require.Greater(t, told, 1, "one that was not cut short, and others")
}

// TestAKillAtAnyStepLeadsToTheSameEnd kills a process with signal 9 at each git command of each
// kind of work: before it, in it, and after it. Another process carries on.
func TestAKillAtAnyStepLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	if os.Getenv("SLOP_LOAD") != "full" {
		t.Skip("starts a thousand processes; set SLOP_LOAD=full to run it")
	}
	for name, c := range killed() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
			h.put(h.dir, map[string]string{"a.txt": "mine\n", "untracked": "mine\n"})
			h.git("add", "a.txt")
			require.NoError(t, os.MkdirAll(h.trees.Root, 0o700))
			c.before(h)
			again := h.keep()
			c.work.Trees = h.trees
			want, err := c.work.do(t)
			require.NoError(t, err)
			end := h.end()
			for _, when := range []string{"before", "in", "after"} {
				for n, alive := 1, true; alive; n++ {
					again()
					alive = h.stab(c.work, n, when)
					got, err := c.work.do(t)
					require.NoError(t, err, "%s command %d", when, n)
					require.Equal(t, end, h.end(), "%s command %d", when, n)
					require.Equal(t, want.Files, got.Files)
				}
			}
		})
	}
}
