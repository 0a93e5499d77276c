package app

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/script"
)

// newCrew starts a crew until the test ends. change says what is configured
// otherwise; sc, if there is one, answers for every model.
func newCrew(t testing.TB, sc *script.Script, change func(*Config)) *crew {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	m, err := startCrew(t.Context(), crewPlan{root: root, script: sc, change: change})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.close()) })
	return m
}

// reach gives the goal and returns what is on record of the session from it on
// until it is completed.
func (m *crew) reach(t testing.TB, goal string) []seen {
	t.Helper()
	all, err := m.reachAll([]voice{m.voice}, goal)
	require.NoError(t, err)
	return all
}
