package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/app/demo"
)

// histories are recorded sessions that every later program replays.
const histories = "../../replay/testdata/histories"

// recordInto is where a release gets its histories of real engines from:
// SLOP_LOAD=full go test ./cmd/slop -run 'Demo' -record unreleased.
var recordInto = flag.String("record", "", "folder below "+histories+" into which the demo's sessions are exported")

// record keeps an exported session as a history, where a person asked for it.
func (s *site) record(file, name string) {
	s.t.Helper()
	if *recordInto == "" {
		return
	}
	exported, err := os.ReadFile(file)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(histories, *recordInto, "good", name+".jsonl"), exported, 0o644))
}

func TestTheDemoEndsTheSameInEachIsolation(t *testing.T) {
	t.Parallel()
	want := reachedState(historyOf(t, runAlone(t)))
	for _, isolation := range []string{"shared", "worktree"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			require.NoError(t, demo.Extract(s.dir))
			s.git("init", "-q", "-b", "main")
			s.git("add", "-A")
			s.git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "begin")
			s.configure(scriptConfig + "isolation = \"" + isolation + "\"\n")
			s.ok("run", "--yes", "--script", s.script(string(demo.Script())), demo.Goal)
			log := historyOf(t, s.dir)
			require.Equal(t, want.Tickets, reachedState(log).Tickets)
			file := filepath.Join(filepath.Dir(s.dir), "session.export")
			s.ok("export", log[0].Session, "-o", file)
			s.record(file, "demo-"+isolation)
		})
	}
}

// TestHistoriesOfDemosVerifyWithEveryPrompt builds each prompt of each recorded
// demo again, to the byte, as the vendor got it.
func TestHistoriesOfDemosVerifyWithEveryPrompt(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(histories, "*", "good", "demo-*.jsonl"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), len(everyReached())+2, "each provider and each isolation has one")
	s := newSite(t, nil)
	for _, file := range files {
		path, err := filepath.Abs(file)
		require.NoError(t, err)
		var got replayed
		require.NoError(t, json.Unmarshal([]byte(s.ok("replay", path, "--verify", "--json")), &got), file)
		require.Zero(t, got.Prompts.Skipped, file)
	}
}
