package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// TestABusyMachineInterruptsNothing runs scripts that take longer than a lease
// in two workers, while other processes take every processor: forty of them in
// make load. Each script runs once and comes to its own end, and each read is
// made once.
func TestABusyMachineInterruptsNothing(t *testing.T) {
	t.Parallel()
	hogs, rounds, scripts := load(4, 40), load(1, 4), load(2, 6)
	f, outside := newFleet(t), filepath.Join(t.TempDir(), "outside.log")
	lasts := 1.1 * bus.Lease.Seconds()
	var replies []string
	for round := range rounds {
		var all []any
		for i := range scripts {
			script := fmt.Sprintf("echo begin %d.%d >> '%s'; sleep %.1f; echo end %d.%d >> '%s'", round, i, outside, lasts,
				round, i, outside)
			all = append(all, map[string]any{"name": "run_powershell", "args": map[string]any{"script": script}},
				map[string]any{"name": "read_file", "args": map[string]any{"path": "go.mod"}})
		}
		reply, err := json.Marshal(map[string]any{"text": "I run.", "tool_calls": all})
		require.NoError(t, err)
		replies = append(replies, string(reply))
	}
	require.NoError(t, os.WriteFile(f.file, []byte(onePlan(append(replies, says("DONE: done"))...)), 0o600))
	f.start()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	busy, calm := context.WithCancel(ctx)
	defer calm()
	for range hogs {
		hog := exec.CommandContext(busy, "sh", "-c", "while :; do :; done")
		require.NoError(t, hog.Start())
		t.Cleanup(func() { _ = hog.Wait() })
	}
	out, err := f.run(ctx).CombinedOutput()
	calm()
	require.NoError(t, err, "%s", out)
	log := history(t, f.person(ctx), filepath.Base(f.dir))
	requireVerified(t, log)
	settled := map[string]int{}
	for _, p := range only[events.ToolSettled](log) {
		settled[p.Call]++
		require.Equal(t, events.ToolDone, p.Outcome, "%s: %s", p.Tool, p.Text)
		require.Equal(t, 1, settled[p.Call], "%s was made twice", p.Tool)
	}
	require.Len(t, settled, 2*rounds*scripts)
	require.Len(t, only[events.ToolStarted](log), rounds*scripts)
	require.Empty(t, only[events.WorkerLost](log))
	body, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, rounds*scripts, strings.Count(string(body), "begin "))
	t.Logf("%d hogs on %d processors: %d scripts of %.1f s, the lease is %s", hogs, runtime.NumCPU(), rounds*scripts,
		lasts, bus.Lease)
}
