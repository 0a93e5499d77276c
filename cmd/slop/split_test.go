package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
)

// endState is what must be the same however a session came to its end
// (DESIGN.md section 13). What a tool printed is left out: a test run prints
// how long it took, and a write that its first worker finished says so.
func endState(log []events.Event) projections.EndState {
	end := replay.Rebuild(log).EndState()
	for _, used := range end.Usage {
		if used.Estimated { // of a prompt with the tree of the project, where logs are being written
			used.Input = 0
		}
	}
	for _, entries := range end.Entries {
		for i := range entries {
			if entries[i].Tool != "" {
				entries[i].SHA256, entries[i].Head = "", ""
			}
		}
	}
	return end
}

// requireVerified checks that every recorded decision follows and none is owed.
func requireVerified(t *testing.T, log []events.Event) {
	t.Helper()
	_, err := replay.Verify(log, replay.Deciders()...)
	require.NoError(t, err)
}

// runAlone is the demo in one process; it returns the project's folder.
func runAlone(t *testing.T) string {
	t.Helper()
	watched(t)
	dir := filepath.Join(t.TempDir(), "sample")
	cmd := exec.Command("slop", "demo", "--yes", "--dir", dir)
	cmd.Env = append(os.Environ(), stateVar(dir))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

func TestSixProcessesEndWhereOneDoes(t *testing.T) {
	t.Parallel()
	alone := historyOf(t, runAlone(t))
	f := newFleet(t)
	f.start()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := f.run(ctx).CombinedOutput()
	require.NoError(t, err, "%s", out)
	log := history(t, f.person(ctx), filepath.Base(f.dir))
	requireVerified(t, log)
	require.Equal(t, endState(alone), endState(log))
	requireSampleWorks(t, f.dir, f.env)
}

// requireSampleWorks runs the sample project's own tests.
func requireSampleWorks(t *testing.T, dir string, env []string) {
	t.Helper()
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// historyOf reads the newest session of a project whose engine has ended.
func historyOf(t *testing.T, dir string) []events.Event {
	t.Helper()
	server, err := bus.Open(t.Context(), bus.Config{Dir: filepath.Join(dir, ".slop")})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	conn, err := server.Connect(bus.Role{Kind: bus.Reader})
	require.NoError(t, err)
	defer conn.Close()
	return history(t, conn, filepath.Base(dir))
}
