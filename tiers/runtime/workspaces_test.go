package runtime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/runtime"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

// inGit runs git in the person's folder.
func (w *world) inGit(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// withWorkspaces is a worker that can make places for attempts below root.
func (w *world) withWorkspaces(name, root string) *runtime.Worker {
	program, err := exec.LookPath("git")
	require.NoError(w.t, err)
	worker := w.worker(name)
	worker.Workspaces = &runtime.Workspaces{Git: git.Program{Path: program, Search: os.Getenv("PATH")}, Project: w.dir,
		Root: root,
		Open: func(dir string) (*sandbox.Workspace, error) { return sandbox.Open(sandbox.Config{Primary: dir}) }}
	return worker
}

// newRepository is a world whose folder is a git repository with the file a.txt.
func newRepository(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.inGit("init", "-q", "-b", "main")
	w.inGit("add", "-A")
	w.inGit("commit", "-qm", "begin")
	return w
}

func TestATicketWorksInItsWorktreeWhoeverCarriesItOn(t *testing.T) {
	t.Parallel()
	w := newRepository(t)
	w.open(func(s *events.Settings) { s.Isolation, s.SpawnApproval = events.IsolationWorktree, true })
	w.say(events.RuleAdded{Rule: events.Rule{Tool: "*_file", Action: "allow", Source: "test"}})
	w.startWithoutWorker(`{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"title\":\"One\",\"description\":\"Do it\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-001\",\"description\":\"Edit\",\"target_file\":\"a.txt\",\"depends_on\":[]}]"}}
{"tier":3,"reply":{"text":"I edit.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}},{"name":"read_file","args":{"path":"` + filepath.ToSlash(w.dir) + `/a.txt"}}]}}
{"tier":3,"reply":{"text":"DONE: done"}}`)
	root := t.TempDir()
	stop := w.run(w.withWorkspaces("worker-test-1", root))
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.until(isType("AskRaised"))
	stop()
	ask, ok := log[len(log)-1].Payload.(events.AskRaised)
	require.True(t, ok)
	w.say(events.AskAnswered{Ask: ask.Ask, Decision: events.Yes})
	w.run(w.withWorkspaces("worker-test-2", root))
	log = w.until(isType("GoalCompleted"))
	outside := false
	for _, e := range log {
		if p, is := e.Payload.(events.ToolSettled); is && p.Tool == "read_file" {
			outside = true
			require.Equal(t, events.ToolFailed, p.Outcome, "the person's folder is out of reach")
		}
	}
	require.True(t, outside)
	require.Equal(t, "two", w.inGit("show", "slop/"+session+":a.txt"))
	require.Empty(t, w.inGit("status", "--porcelain"))
}

// handing is one delivery of a request, and what came of it.
func (w *world) handing(worker *runtime.Worker, e events.Event, deliveries int) error {
	worker.Queue = handed{e, deliveries}
	return worker.Run(w.t.Context(), 1)
}

// prepared is an attempt's place with a change in it, and the request to merge it.
func (w *world) prepared(root string) (events.Event, git.Worktrees) {
	w.t.Helper()
	ask := w.decided(events.ActorConductor, events.WorkspaceRequested{Ticket: "T-001", Attempt: 1, Name: "T-001.1"})
	require.NoError(w.t, w.handing(w.withWorkspaces("worker-test-1", root), ask, 1))
	place := only[events.WorkspacePrepared](w)
	require.Empty(w.t, place.Error)
	require.NoError(w.t, os.WriteFile(filepath.Join(place.Path, "a.txt"), []byte("two\n"), 0o600))
	merge := w.decided(events.ActorConductor, events.MergeRequested{Ticket: "T-001", Attempt: 1, Name: "T-001.1", Try: 1,
		Title: "T-001: two"})
	spaces := w.withWorkspaces("worker-test-1", root).Workspaces
	return merge, git.Worktrees{Program: spaces.Git, Project: w.dir, Root: filepath.Join(root, session), Session: session}
}

// only is the one event of a type in the session.
func only[P events.Payload](w *world) (out P) {
	w.t.Helper()
	n := 0
	for _, e := range w.events() {
		if p, is := e.Payload.(P); is {
			out, n = p, n+1
		}
	}
	require.Equal(w.t, 1, n)
	return out
}

func TestNothingIsMergedBehindTheEndOfItsSession(t *testing.T) {
	t.Parallel()
	w := newRepository(t)
	w.open(nil)
	root := t.TempDir()
	merge, _ := w.prepared(root)
	before := w.inGit("rev-parse", "slop/"+session)
	w.say(events.SessionClosed{Reason: "by hand"})
	require.NoError(t, w.handing(w.withWorkspaces("worker-test-1", root), merge, 1))
	got := only[events.MergeSettled](w)
	require.Equal(t, events.MergeFailed, got.Outcome)
	require.Contains(t, got.Detail, "the session was closed")
	require.Equal(t, before, w.inGit("rev-parse", "slop/"+session))
}

func TestNoPlaceIsMadeBehindTheEndOfItsSession(t *testing.T) {
	t.Parallel()
	w := newRepository(t)
	w.open(nil)
	w.say(events.SessionClosed{Reason: "by hand"})
	ask := w.decided(events.ActorConductor, events.WorkspaceRequested{Ticket: "T-001", Attempt: 1, Name: "T-001.1"})
	require.NoError(t, w.handing(w.withWorkspaces("worker-test-1", t.TempDir()), ask, 1))
	require.Contains(t, only[events.WorkspacePrepared](w).Error, "the session was closed")
	require.Empty(t, w.inGit("for-each-ref", "refs/heads/slop", "refs/heads/slop-tickets"))
}

func TestAMergeWhoseAnswerWasLostIsToldBehindTheEndOfItsSession(t *testing.T) {
	t.Parallel()
	w := newRepository(t)
	w.open(nil)
	root := t.TempDir()
	merge, trees := w.prepared(root)
	done, err := trees.Merge(t.Context(), git.MergeRequest{Name: "T-001.1", Try: 1, Title: "T-001: two"})
	require.NoError(t, err)
	w.say(events.SessionClosed{Reason: "by hand"})
	require.NoError(t, w.handing(w.withWorkspaces("worker-test-1", root), merge, 2))
	got := only[events.MergeSettled](w)
	require.Equal(t, events.MergeDone, got.Outcome)
	require.Equal(t, done.Commit, got.Commit)
}

// mergeBehindAnother is a worker with a merge to make, and another process that
// holds the worktrees.
func (w *world) mergeBehindAnother() (*runtime.Worker, events.Event, *git.Hold) {
	w.t.Helper()
	w.open(nil)
	root := w.t.TempDir()
	merge, trees := w.prepared(root)
	other, err := trees.HoldMerged(w.t.Context())
	require.NoError(w.t, err)
	worker := w.withWorkspaces("worker-test-1", root)
	worker.Workspaces.Patience = time.Millisecond
	return worker, merge, other
}

// TestAMergeThatAStoppedProcessMayStillEndHasNoOutcome puts it off more often
// than a request may be begun.
func TestAMergeThatAStoppedProcessMayStillEndHasNoOutcome(t *testing.T) {
	t.Parallel()
	w := newRepository(t)
	worker, merge, stopped := w.mergeBehindAnother()
	for n := range 25 {
		var later *events.NotBeforeError
		require.ErrorAs(t, w.handing(worker, merge, n+1), &later)
		require.Contains(t, later.Reason, "another process is using the worktrees")
	}
	stopped.Release()
	worker.Workspaces.Patience = 0 // a program that another test just starts may have the lock until it runs
	require.NoError(t, w.handing(worker, merge, 26))
	require.Equal(t, events.MergeDone, only[events.MergeSettled](w).Outcome)
}

// TestAnUndoThatAStoppedProcessMayStillMakeHasNoOutcome has that process hold the
// worktrees.
func TestAnUndoThatAStoppedProcessMayStillMakeHasNoOutcome(t *testing.T) {
	t.Parallel()
	w := newRepository(t)
	w.open(nil)
	root := t.TempDir()
	merge, trees := w.prepared(root)
	worker := w.withWorkspaces("worker-test-1", root)
	require.NoError(t, w.handing(worker, merge, 1))
	one, err := w.person.Put(t.Context(), []byte("one\n"), "text/plain")
	require.NoError(t, err)
	call := approvedCall(events.RestoreTool, `{"files":[{"path":"a.txt","before":"`+events.Digest([]byte("two\n"))+
		`","after":"`+one.SHA256+`"}]}`)
	call.Workspace = events.WorkspaceMerged
	undo := w.decided(events.ActorApproval, call)
	look := w.decided(events.ActorLead, events.ContextRequested{Tier: 2, Workspace: events.WorkspaceMerged,
		Views: []events.ViewRequest{{Path: "a.txt", View: events.ViewRaw}}})
	stopped, err := trees.HoldMerged(t.Context())
	require.NoError(t, err)
	worker.Workspaces.Patience = time.Millisecond
	for _, e := range []events.Event{undo, look} {
		var later *events.NotBeforeError
		require.ErrorAs(t, w.handing(worker, e, 1), &later)
		require.Contains(t, later.Reason, "another process is using the worktrees")
	}
	stopped.Release()
	worker.Workspaces.Patience = 0 // a program that another test just starts may have the lock until it runs
	require.NoError(t, w.handing(worker, look, 2))
	require.Equal(t, "two\n", only[events.ContextBuilt](w).Views[0].Text)
	require.NoError(t, w.handing(worker, undo, 2))
	require.Equal(t, events.ToolDone, w.settled(events.RestoreTool).Outcome)
	require.Equal(t, "one", w.inGit("show", "slop/"+session+":a.txt"))
}

func TestARequestThatIsPutOffKeepsItsEarlierAttempts(t *testing.T) {
	t.Parallel()
	w := newRepository(t)
	worker, merge, stopped := w.mergeBehindAnother()
	defer stopped.Release()
	key := session + ".attempts." + merge.ID
	_, err := worker.Claims.CreateClaim(t.Context(), key, []byte(`{"attempts":19}`))
	require.NoError(t, err)
	for n := range 3 {
		var later *events.NotBeforeError
		require.ErrorAs(t, w.handing(worker, merge, n+2), &later)
		value, _, err := worker.Claims.Claim(t.Context(), key)
		require.NoError(t, err)
		require.Contains(t, string(value), `"attempts":19`)
	}
}
