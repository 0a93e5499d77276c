package runtime_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestAnUndoInAWorktreeThatIsGoneIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.inGit("init", "-q", "-b", "main")
	w.inGit("add", "-A")
	w.inGit("commit", "-qm", "begin")
	w.open(func(s *events.Settings) { s.Isolation = events.IsolationWorktree })
	w.yesToAll()
	args, err := json.Marshal(map[string]string{"path": "a.txt", "old_string": "one", "new_string": "two"})
	require.NoError(t, err)
	w.startWithoutWorker(oneCall("edit_file", string(args)))
	w.run(w.withWorkspaces("worker-test-1", t.TempDir()))
	w.say(events.GoalSubmitted{Goal: "g"})
	w.until(isType("GoalCompleted"))
	w.say(events.UndoRequested{Ticket: "T-1"})
	undone := w.settled(events.RestoreTool)
	require.Equal(t, events.ToolFailed, undone.Outcome)
	b, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\n", string(b))
	require.Contains(t, undone.Text, "no workspace")
}
