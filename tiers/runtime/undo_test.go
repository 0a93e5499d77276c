package runtime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/runtime"
)

// newTrees is a session with worktrees of a repository that has these files committed.
func newTrees(t *testing.T, files map[string]string) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorld(t, files)
	for name := range files {
		if filepath.Ext(name) == ".sh" {
			require.NoError(t, os.Chmod(filepath.Join(w.dir, name), 0o755))
		}
	}
	w.inGit("init", "-q", "-b", "main")
	w.inGit("add", "-A")
	w.inGit("commit", "-qm", "begin")
	w.open(func(s *events.Settings) { s.Isolation = events.IsolationWorktree })
	return w
}

// noticing is a worker that makes worktrees below root and notices what scripts change.
func (w *world) noticing(name, root string) *runtime.Worker {
	worker := w.withWorkspaces(name, root)
	worker.Checkpoints = w.checkpoints()
	return worker
}

func (w *world) undo(p events.UndoRequested) (done events.ToolSettled, refused string) {
	w.t.Helper()
	id := w.say(p)
	w.until(func(e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.UndoRefused:
			refused = p.Reason
			return p.Request == id
		case events.ToolSettled:
			done = p
			return p.Call == events.UndoCall(id)
		}
		return false
	})
	return done, refused
}

const rewrites = `{"script":"printf two > a.txt; rm gone.txt gone.sh; printf new > t; mv t swapped.sh; mkdir -p new; printf n > new/made.txt; printf x > ignored.txt"}`

var written = map[string]string{"a.txt": "one", "gone.txt": "g", "same.txt": "s", "gone.sh": "g", "swapped.sh": "s",
	".gitignore": "ignored.txt\n"}

// TestWhatAScriptDidInAWorktreeIsUndone before its ticket is merged: a second call waits for a yes.
func TestWhatAScriptDidInAWorktreeIsUndone(t *testing.T) {
	t.Parallel()
	w := newTrees(t, written)
	w.say(events.RuleAdded{Rule: events.Rule{Tool: "run_powershell", Action: "allow", Source: "test"}})
	w.startWithoutWorker(`
{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"d\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"d\"}]"}}
{"tier":3,"reply":{"tool_calls":[{"name":"run_powershell","args":` + rewrites + `}]}}
{"tier":3,"reply":{"tool_calls":[{"name":"edit_file","args":{"path":"same.txt","old_string":"s","new_string":"t"}}]}}
{"tier":3,"reply":{"text":"DONE: finished"}}`)
	root := t.TempDir()
	w.run(w.noticing("worker-test-1", root))
	w.say(events.GoalSubmitted{Goal: "g"})
	ran := w.settled("run_powershell")
	require.Equal(t, events.ToolDone, ran.Outcome, ran.Text)
	require.False(t, ran.Unseen)
	require.Len(t, ran.Files, 5)
	log := w.until(isType("AskRaised"))
	done, refused := w.undo(events.UndoRequested{Call: ran.Call})
	require.Empty(t, refused)
	require.Equal(t, events.ToolDone, done.Outcome, done.Text)
	place := filepath.Join(root, session, "T-1.1")
	requireFiles(t, place, map[string]string{"a.txt": "one", "gone.txt": "g", "same.txt": "s"})
	require.NoFileExists(t, filepath.Join(place, "new", "made.txt"))
	for _, name := range []string{"gone.sh", "swapped.sh"} {
		info, err := os.Stat(filepath.Join(place, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o755), info.Mode(), name)
	}

	redone, _ := w.undo(events.UndoRequested{Call: done.Call})
	require.Equal(t, events.ToolDone, redone.Outcome, redone.Text)
	requireFiles(t, place, map[string]string{"a.txt": "two", "new/made.txt": "n"})
	w.say(events.AskAnswered{Ask: log[len(log)-1].Payload.(events.AskRaised).Ask, Decision: events.Yes})
	w.until(isType("GoalCompleted"))
	require.Equal(t, "two", w.inGit("show", "slop/"+session+":a.txt"))
}

// TestWhatIsMergedIsUndoneOnTheSessionsBranch whoever wrote it, and the person's own is not touched.
func TestWhatIsMergedIsUndoneOnTheSessionsBranch(t *testing.T) {
	t.Parallel()
	w := newTrees(t, written)
	w.yesToAll()
	w.startWithoutWorker(oneCall("run_powershell", rewrites))
	root := t.TempDir()
	w.run(w.noticing("worker-test-1", root))
	w.say(events.GoalSubmitted{Goal: "g"})
	w.until(isType("GoalCompleted"))
	branch := "slop/" + session
	before := []string{w.inGit("rev-parse", "HEAD"), w.inGit("status", "--porcelain"), w.inGit("symbolic-ref", "HEAD")}

	done, refused := w.undo(events.UndoRequested{Ticket: "T-1"})
	require.Empty(t, refused)
	require.Equal(t, events.ToolDone, done.Outcome, done.Text)
	require.Equal(t, branch, done.Branch)
	require.Empty(t, w.inGit("diff", "main", branch), "nothing of the ticket is left")
	require.Equal(t, "slop", w.inGit("log", "-1", "--format=%an", branch))
	requireFiles(t, filepath.Join(root, session, "merged"), map[string]string{"a.txt": "one", "gone.txt": "g"})

	again, _ := w.undo(events.UndoRequested{Call: done.Call})
	require.Equal(t, events.ToolDone, again.Outcome, again.Text)
	require.Equal(t, "two", w.inGit("show", branch+":a.txt"))
	require.Equal(t, before, []string{w.inGit("rev-parse", "HEAD"), w.inGit("status", "--porcelain"),
		w.inGit("symbolic-ref", "HEAD")})

	merged := w.inGit("commit-tree", w.withFile(branch, "a.txt", "mine"), "-p", branch, "-m", "mine")
	w.inGit("update-ref", "refs/heads/"+branch, merged)
	no, _ := w.undo(events.UndoRequested{Ticket: "T-1"})
	require.Equal(t, events.ToolFailed, no.Outcome)
	require.Contains(t, no.Text, "a.txt changed since")
	require.Contains(t, no.Text, "+mine")
	require.Equal(t, merged, w.inGit("rev-parse", branch))
}

// withFile is the tree of a commit with another content of one file.
func (w *world) withFile(commit, name, text string) string {
	w.t.Helper()
	w.write(".git/text", text)
	index := filepath.Join(w.dir, ".git", "other-index")
	script := `export GIT_INDEX_FILE="$1"; git read-tree "$2" && git update-index --cacheinfo "100644,$(git hash-object -w .git/text),$3" && git write-tree`
	cmd := exec.Command("sh", "-c", script, "sh", index, commit, name)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

func requireFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, text, string(b), name)
	}
}

func TestAnUndoInAWorktreeThatIsGoneIsRefused(t *testing.T) {
	t.Parallel()
	w := newTrees(t, map[string]string{"a.txt": "one\n"})
	w.say(events.RuleAdded{Rule: events.Rule{Tool: "edit_file", Action: "allow", Source: "test"}})
	w.startWithoutWorker(`
{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"d\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"d\"}]"}}
{"tier":3,"reply":{"tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}
{"tier":3,"reply":{"tool_calls":[{"name":"run_powershell","args":{"script":"true"}}]}}`)
	root := t.TempDir()
	w.run(w.withWorkspaces("worker-test-1", root))
	w.say(events.GoalSubmitted{Goal: "g"})
	w.until(isType("AskRaised"))
	require.NoError(t, os.RemoveAll(filepath.Join(root, session, "T-1.1")))
	done, _ := w.undo(events.UndoRequested{Ticket: "T-1"})
	require.Equal(t, events.ToolFailed, done.Outcome)
	require.Contains(t, done.Text, "no workspace")
	requireFiles(t, w.dir, map[string]string{"a.txt": "one\n"})
}
