package bus

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProcessThatConnectsWhileTheServerStartsIsRemembered has a worker outside in
// an earlier life of the server. Its connection is back before the start has
// looked for work under way, so it may have taken some when the start finds none.
func TestProcessThatConnectsWhileTheServerStartsIsRemembered(t *testing.T) {
	t.Parallel()
	dir, quiet := t.TempDir(), slog.New(slog.DiscardHandler)
	earlier := openOutside(dir, quiet)
	earlier.add(Worker)
	earlier.add(Models)

	starts := openOutside(dir, quiet)
	starts.add(Worker)
	require.NoError(t, starts.forget())
	for _, o := range []*outside{starts, openOutside(dir, quiet)} {
		require.True(t, o.has(Worker), "it is connected")
		require.False(t, o.has(Models), "it ended with nothing under way")
	}
	require.NoError(t, openOutside(dir, quiet).forget())
	require.NoFileExists(t, starts.path)
}
