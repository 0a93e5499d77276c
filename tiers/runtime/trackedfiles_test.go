package runtime_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tools/sandbox"
)

// TestARefreshShowsTrackedFilesThatChanged has a ticket change one of several
// tracked files: only that one is shown, as what changed in it.
func TestARefreshShowsTrackedFilesThatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	w.open(func(s *events.Settings) { s.Tracked = []string{"a.txt", "b.txt", "c.txt", "later.txt"} })
	w.yesToAll()
	w.startWithoutWorker(`{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"description\":\"t\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-1\",\"description\":\"d\"}]"}}
{"tier":3,"reply":{"tool_calls":[{"name":"read_file","args":{"path":"c.txt"}}]}}
{"tier":3,"reply":{"tool_calls":[{"name":"run_powershell","args":{"script":"echo ONE > a.txt; echo new > later.txt"}}]}}
{"tier":3,"reply":{"text":"DONE: changed"}}
`)
	w.runNoticing("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "g"})
	var blocks []string
	for _, e := range w.untilGoalEnds(t) {
		m, ok := e.Payload.(events.ModelRequested)
		if !ok || m.Tier != 3 {
			continue
		}
		block := ""
		for _, p := range m.Manifest {
			if p.Kind == events.PartRefresh {
				block = strings.ReplaceAll(p.Text, "\n", "|")
			}
		}
		blocks = append(blocks, block)
	}
	require.Equal(t, []string{"", "", "--- a/a.txt|+++ b/a.txt|@@ -1 +1 @@|-one|+ONE|" +
		"--- a/later.txt|+++ b/later.txt|@@ -0,0 +1 @@|+new|"}, blocks)
}

// TestThePlannerSeesTheTreeOfTheFoldersOfTrackedFiles opens only the folders of
// tracked files to the tools.
func TestThePlannerSeesTheTreeOfTheFoldersOfTrackedFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"top.txt": "", "lib/b.py": "", "pkg/a.py": ""})
	w.open(nil)
	w.startWithoutWorker(`{"tier":1,"reply":{"text":"no plan"}}`)
	worker := w.worker("worker-test-1")
	workspace, err := sandbox.Open(sandbox.Config{WorkDir: w.dir, TrackedFiles: []string{"pkg/a.py", "lib/b.py"}})
	require.NoError(t, err)
	worker.Home.Workspace = workspace
	w.run(worker)
	w.say(events.GoalSubmitted{Goal: "g"})
	var tree events.View
	w.until(func(e *events.Event) bool {
		p, ok := e.Payload.(events.ContextBuilt)
		if ok {
			tree = p.Views[slices.IndexFunc(p.Views, func(v events.View) bool { return v.View == events.ViewTree })]
		}
		return ok
	})
	require.Empty(t, tree.Error)
	require.Contains(t, tree.Text, "lib/\n  b.py")
	require.Contains(t, tree.Text, "pkg/\n  a.py")
	require.NotContains(t, tree.Text, "top.txt")
}
