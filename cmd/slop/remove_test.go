package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// listed are the sessions on record, the oldest first.
func (s *site) listed() (ids, folders []string) {
	s.t.Helper()
	for _, line := range lines(s.ok("sessions", "--json")) {
		var row struct{ Session, Folder string }
		require.NoError(s.t, json.Unmarshal([]byte(line), &row))
		ids, folders = append(ids, row.Session), append(folders, row.Folder)
	}
	return ids, folders
}

func TestRemovedSessionsAreGoneAndTheOthersVerify(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	for _, words := range [][2]string{{"one", "two"}, {"two", "three"}, {"three", "four"}} {
		script := s.script(onePlan(edits("a.txt", words[0], words[1]), says("DONE: done")))
		s.ok("run", "--yes", "--script", script, "turn "+words[0]+" into "+words[1])
	}
	ids, folders := s.listed()
	require.Len(t, ids, 3)
	logs := func(i int) string { return filepath.Join(s.dir, "logs", "sessions", folders[i]) }
	require.DirExists(t, logs(1))
	require.Contains(t, s.fails(1, "sessions", "rm", "nothing"), "nothing")
	said := s.fails(3, "sessions", "rm", ids[1], "--open")
	require.Contains(t, said, "to be removed: 1 session")
	require.Contains(t, said, "nothing was changed")
	same, _ := s.listed()
	require.Equal(t, ids, same)

	require.Contains(t, s.ok("sessions", "rm", ids[1], "--open", "--yes"), "removed 1 session")

	left, _ := s.listed()
	require.Equal(t, []string{ids[0], ids[2]}, left)
	require.NoDirExists(t, logs(1))
	require.DirExists(t, logs(0))
	for _, id := range left {
		s.ok("replay", id, "--verify")
	}
	require.Contains(t, s.fails(1, "replay", ids[1]), ids[1])
	require.Equal(t, "four", s.read("a.txt")[:4])
	script := s.script(onePlan(edits("a.txt", "four", "five"), says("DONE: done")))
	s.ok("run", "--yes", "--script", script, "turn four into five")
	after, _ := s.listed()
	require.Len(t, after, 3)
	require.Contains(t, s.ok("sessions", "prune", "--keep", "1", "--open", "--yes"), "removed 2 sessions")
	after, _ = s.listed()
	require.Len(t, after, 1)
	s.ok("replay", after[0], "--verify")
	_, err := os.Stat(s.data("search"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// worktree makes a worktree of a session with work that is not merged.
func (s *site) worktree(session string) (dir string) {
	s.t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		s.t.Skip("git is not installed")
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".git")); err != nil {
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=Ada", "-c",
			"user.email=ada@example.com", "commit", "-qm", "begin"}} {
			s.git(args...)
		}
	}
	trees := git.Worktrees{Program: git.Program{Path: program, Search: os.Getenv("PATH")}, Project: s.dir,
		Root: s.data("worktrees/" + session), Session: session}
	tree, err := trees.Prepare(s.t.Context(), "T-001.1")
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(tree.Dir, "a.txt"), []byte("not merged"), 0o600))
	return tree.Dir
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "git %v: %s", args, out)
	return string(out)
}

// TestRemovalThatIsKilledAnywhereIsFinishedByTheNextOne kills a removal when a
// step of it shows in the files, and repeats it.
func TestRemovalThatIsKilledAnywhereIsFinishedByTheNextOne(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	gone := func(path string) func() bool {
		return func() bool { _, err := os.Lstat(path); return err != nil }
	}
	s.ok("run", "--yes", "--script", s.script(onePlan(says("DONE: done"))), "one that stays")
	there := func(path string) func() bool { return func() bool { return !gone(path)() } }
	for step, shows := range []func(logs, tree string) func() bool{
		func(logs, _ string) func() bool { return gone(filepath.Join(logs, "comms.log")) },
		func(logs, _ string) func() bool { return gone(logs) },
		func(string, string) func() bool { return there(s.data("rewrite")) },
		func(string, string) func() bool { return there(s.data("rewrite/bus/jetstream/SLOP/streams/SLOP_EV")) },
		func(string, string) func() bool { return there(s.data("bus.old")) },
		func(_, tree string) func() bool { return gone(filepath.Join(tree, "a.txt")) },
		func(_, tree string) func() bool { return gone(tree) },
	} {
		s.ok("run", "--yes", "--script", s.script(onePlan(says("DONE: done"))), fmt.Sprint("goal ", step))
		ids, folders := s.listed()
		id := ids[len(ids)-1]
		logs, tree := filepath.Join(s.dir, "logs", "sessions", folders[len(ids)-1]), s.worktree(id)
		require.Contains(t, s.fails(3, "sessions", "rm", id, "--open"), "WORK THAT WAS NOT MERGED")
		require.FileExists(t, filepath.Join(tree, "a.txt"), "the dry run changes nothing")

		r := s.start("sessions", "rm", id, "--open", "--yes")
		for holds := shows(logs, tree); !holds(); {
			select {
			case <-r.ended:
			default:
				continue
			}
			break
		}
		r.kill()
		if got := s.slop("sessions", "rm", id, "--open", "--yes"); got.status != 0 {
			require.Contains(t, got.err, id, "it was gone already")
		}
		left, _ := s.listed()
		require.ElementsMatch(t, ids[:len(ids)-1], left)
		for _, path := range []string{logs, s.data("worktrees/" + id), s.data("bus.old"), s.data("rewrite")} {
			require.NoFileExists(t, path)
			require.NoDirExists(t, path)
		}
		require.NotContains(t, s.git("for-each-ref"), "slop-tickets/"+id)
		require.Contains(t, s.git("for-each-ref"), "refs/heads/slop/"+id, "what was merged stays")
		require.Empty(t, s.git("worktree", "prune", "--dry-run", "--verbose"))
	}
	ids, _ := s.listed()
	require.Len(t, ids, 1)
	s.ok("replay", ids[0], "--verify")
}

func TestRemovalLeavesWhatIsNoLogInAFolderOfLogs(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.ok("run", "--yes", "--script", s.script(onePlan(says("DONE: done"))), "a goal")
	ids, folders := s.listed()
	folder := filepath.Join(s.dir, "logs", "sessions", folders[0])
	require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("mine"), 0o600))
	said := s.slop("sessions", "rm", ids[0], "--open", "--yes")
	require.Zero(t, said.status, said.err)
	require.Contains(t, said.err, "notes.txt in it is not a log")
	require.FileExists(t, filepath.Join(folder, "notes.txt"))
	require.NoFileExists(t, filepath.Join(folder, "comms.log"))
}

func TestRemovalIsRefusedForOpenSessionsAndRunningEngines(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	r := s.start("serve", "--json", "--script", s.script(onePlan(says("DONE: done"))))
	r.sees("\n")
	id := s.engine().Session
	require.Contains(t, s.fails(1, "sessions", "rm", id), "stop it first")
	s.ok("hook", "shutdown")
	require.Zero(t, r.wait())
	require.Contains(t, s.fails(1, "sessions", "rm", id, "--yes"), "is not closed")
	require.Contains(t, s.fails(2, "sessions", "prune"), "--older-than")
	require.Contains(t, s.fails(2, "sessions", "prune", "--older-than", "soon"), "must be an age")
	require.Contains(t, s.fails(2, "sessions", "prune", "--keep", "-2"), "must be 0 or more")
	s.ok("sessions", "close", id)
	require.Contains(t, s.ok("sessions", "prune", "--older-than", "0d", "--yes"), "removed 1 session")
	require.Contains(t, s.ok("sessions"), "no sessions yet")
}
