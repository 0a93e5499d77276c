package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

// TestARestartedEngineTakesUpItsOwnCallsAndLeavesThoseOfOthers kills an engine
// that has a listener, while its own worker and one in another process run
// scripts. Its own are interrupted at once, the others come to their end.
func TestARestartedEngineTakesUpItsOwnCallsAndLeavesThoseOfOthers(t *testing.T) {
	t.Parallel()
	const scripts = 20 // more than one worker takes at once
	s, gate := newSite(t, twoFiles), t.TempDir()
	t.Cleanup(func() { _ = os.WriteFile(filepath.Join(gate, "go"), nil, 0o600) })
	var all []any
	for i := range scripts {
		script := fmt.Sprintf(
			`cd '%s'; echo %d >> begun; echo $PPID > pid.%d.new; mv pid.%d.new pid.%d; while [ ! -e go ]; do sleep 0.05; done`,
			gate, i, i, i, i)
		all = append(all, map[string]any{"name": "run_powershell", "args": map[string]any{"script": script}})
	}
	reply, err := json.Marshal(map[string]any{"text": "I run.", "tool_calls": all})
	require.NoError(t, err)
	s.keys()
	address := bustest.Address(t)
	args := []string{"serve", "--json", "--yes", "--nats-listen", address, "--script",
		s.script(onePlan(string(reply), says("DONE: done")))}
	engine := s.start(args...)
	engine.sees("\n")
	s.start("worker", "--json", "--nats", "nats://"+address, "--creds", s.data("keys/worker.json")).sees("\n")
	status, _ := s.post("/api/goal", `{"goal":"run"}`)
	require.Equal(t, 200, status)
	own, others := map[string]bool{}, map[string]bool{}
	for i := range scripts {
		path := filepath.Join(gate, fmt.Sprintf("pid.%d", i))
		var raw []byte
		require.Eventually(t, func() bool { raw, err = os.ReadFile(path); return err == nil }, patience, 5*time.Millisecond)
		if string(bytes.TrimSpace(raw)) == strconv.Itoa(engine.cmd.Process.Pid) {
			own[strconv.Itoa(i)] = true
		} else {
			others[strconv.Itoa(i)] = true
		}
	}
	require.NotEmpty(t, own)
	require.NotEmpty(t, others)
	engine.kill()
	began := time.Now()
	again := s.start(args...)
	again.sees("\n")
	log := s.connect()
	fact(t, log, len(own), func(_ events.Event, p events.ToolSettled) bool { return p.Outcome == events.ToolInterrupted })
	t.Logf("%d calls of the killed engine are settled %s behind the kill, its start included; %d of a worker outside go "+
		"on; the lease is %s",
		len(own), time.Since(began).Round(time.Millisecond), len(others), bus.Lease)
	require.NoError(t, os.WriteFile(filepath.Join(gate, "go"), nil, 0o600))
	fact(t, log, len(others), func(_ events.Event, p events.ToolSettled) bool { return p.Outcome == events.ToolDone })
	begun, err := os.ReadFile(filepath.Join(gate, "begun"))
	require.NoError(t, err)
	require.Equal(t, scripts, bytes.Count(begun, []byte("\n")), "each ran once")
	again.kill()
	outcomes := map[string]int{}
	for _, p := range only[events.ToolSettled](historyOf(t, s.dir)) {
		outcomes[p.Outcome]++
	}
	require.Equal(t, map[string]int{events.ToolInterrupted: len(own), events.ToolDone: len(others)}, outcomes)
}
