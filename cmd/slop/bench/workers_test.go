package bench

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/engine"
	"manualslop/tiers/llm/script"
)

// newWorkers starts the workers until the test ends. change says what is configured
// otherwise; sc, if there is one, answers for every model.
func newWorkers(t testing.TB, sc *script.Script, change func(*config.Config)) *Workers {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	m, err := StartWorkers(t.Context(), WorkersPlan{root: root, script: sc, change: change})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// reach gives the goal and returns what is on record of the session from it on
// until it is completed.
func (m *Workers) reach(t testing.TB, goal string) []seen {
	t.Helper()
	all, err := m.reachAll([]engine.SessionWriter{m.writer}, goal)
	require.NoError(t, err)
	return all
}
