package runtime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
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
