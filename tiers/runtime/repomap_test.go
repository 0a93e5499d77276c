package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tools/builtin"
)

// TestAPlannerSeesWhatALargeProjectDefines has a project of 3,000 files, of which
// one defines what most of them use, five levels down.
func TestAPlannerSeesWhatALargeProjectDefines(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a/b/c/d/e/core.go": "package e\n\ntype LedgerBook struct{}\n\nfunc OpenLedger() " +
		"*LedgerBook { return nil }\n"}
	for i := range 2999 {
		files[fmt.Sprintf("src/p%02d/q%02d/f%04d.go", i/100, i/10%10, i)] = fmt.Sprintf("package q\n\nfunc Use%04d() { "+
			"OpenLedger() }\n", i)
	}
	w := newWorld(t, files)
	answer, ok := w.handOut(events.ActorPlanner, events.ContextRequested{Tier: 1, Views: []events.ViewRequest{
		{Path: ".", View: events.ViewTree}}}, 1).(events.ContextBuilt)
	require.True(t, ok)
	built := answer.Views[0]
	require.Empty(t, built.Error)
	require.Contains(t, built.Text, "src/")
	// a machine that is too busy reads fewer files within the time of a map, and counts fewer mentions
	require.Regexp(t, `"a/b/c/d/e/core.go": OpenLedger \d{3,4}, LedgerBook\n`, built.Text)
	require.Contains(t, built.Text, "more source files are not listed here")
	require.Contains(t, built.Text, "levels shown, because more would be too long")
	require.NotContains(t, built.Text, "call get_tree", "who plans has no tools")
	require.LessOrEqual(t, len(built.Text), builtin.RepoMapBytes+20_000)
	require.False(t, strings.Contains(built.Text, "package q"), "names only")
}
