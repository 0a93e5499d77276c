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
	worker.Workspaces = &runtime.Workspaces{Git: git.Program{Path: program, Search: os.Getenv("PATH")}, Project: w.dir, Root: root,
		Open: func(dir string) (*sandbox.Workspace, error) { return sandbox.Open(sandbox.Config{Primary: dir}) }}
	return worker
}

func TestATicketWorksInItsWorktreeWhoeverCarriesItOn(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorld(t, nil)
	w.write("a.txt", "one\n")
	w.inGit("init", "-q", "-b", "main")
	w.inGit("add", "-A")
	w.inGit("commit", "-qm", "begin")
	w.open(func(s *events.Settings) { s.Isolation, s.SpawnApproval = events.IsolationWorktree, true })
	w.say(events.RuleAdded{Rule: events.Rule{Tool: "*_file", Action: "allow", Source: "test"}})
	w.startWithoutWorker(`{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"title\":\"One\",\"description\":\"Do it\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-001\",\"description\":\"Edit\",\"target_file\":\"a.txt\",\"depends_on\":[]}]"}}
{"tier":3,"reply":{"text":"I edit.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}},{"name":"read_file","args":{"path":"` + filepath.ToSlash(w.dir) + `/a.txt"}}]}}
{"tier":3,"reply":{"text":"done"}}`)
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
