package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tools/checkpoint"
)

// TestAScriptThatChangesManyFilesIsSettledAndUndone changes more files than a
// claim could name, under names that an event could not hold for more of them.
func TestAScriptThatChangesManyFilesIsSettledAndUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const files = 600
	for i := range files {
		w.write(name(i), "old")
	}
	w.open(nil)
	w.yesToAll()
	w.startWithoutWorker(oneCall("run_powershell",
		`{"script":"for f in dir/*; do printf new > $f; done; head -c 20000 /dev/zero | tr '\\0' '<'"}`))
	w.runNoticing("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "g"})
	settled := w.settled("run_powershell")
	require.Equal(t, events.ToolDone, settled.Outcome, settled.Text)
	require.False(t, settled.Unseen)
	require.Len(t, settled.Files, files)
	w.say(events.UndoRequested{Call: settled.Call})
	undone := w.settled(events.RestoreTool)
	require.Equal(t, events.ToolDone, undone.Outcome, undone.Text)
	for i := range files {
		b, err := os.ReadFile(filepath.Join(w.dir, name(i)))
		require.NoError(t, err)
		require.Equal(t, "old", string(b))
	}
}

func TestFilesThatAnOutcomeCannotNameAreSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		named  func(int) bool
	}{
		"one too many":   {`for i in $(seq 1001); do printf x > $i; done`, func(n int) bool { return n == 1000 }},
		"names too long": {`d=$(printf 'n%.0s' $(seq 200)); mkdir -p $d/$d/$d/$d; cd $d/$d/$d/$d; for i in $(seq 300); do printf x > $i; done`, func(n int) bool { return n > 200 && n < 300 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.open(nil)
			w.yesToAll()
			w.startWithoutWorker(oneCall("run_powershell", `{"script":"`+c.script+`"}`))
			w.runNoticing("worker-test-1")
			w.say(events.GoalSubmitted{Goal: "g"})
			p := w.settled("run_powershell")
			require.Equal(t, events.ToolDone, p.Outcome, p.Text)
			require.True(t, p.Unseen)
			require.True(t, c.named(len(p.Files)), "%d", len(p.Files))
		})
	}
}

// runNoticing runs a worker that notices what scripts change.
func (w *world) runNoticing(name string) {
	worker := w.worker(name)
	worker.Checkpoints = w.checkpoints()
	w.run(worker)
}

func (w *world) checkpoints() *checkpoint.Store {
	store, err := checkpoint.Open(w.t.TempDir(), time.Now)
	require.NoError(w.t, err)
	return store
}

func name(i int) string { return fmt.Sprintf("dir/%s%d", strings.Repeat("n", 100), i) }

// settled waits for an outcome of a tool.
func (w *world) settled(tool string) (out events.ToolSettled) {
	w.t.Helper()
	w.until(func(e *events.Event) bool {
		p, ok := e.Payload.(events.ToolSettled)
		if ok && p.Tool == tool {
			out = p
		}
		return ok && p.Tool == tool || e.Type == "UndoRefused"
	})
	return out
}
