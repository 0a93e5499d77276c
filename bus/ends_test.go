package bus_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events/eventstest"
)

// recorded waits until the record of a running store has reached a sequence.
func recorded(t *testing.T, dir, stream string, seq uint64) {
	t.Helper()
	require.Eventually(t, func() bool {
		end, ok := readEnds(dir)[stream].(map[string]any)
		return ok && end["seq"].(float64) >= float64(seq)
	}, eventstest.Patience, time.Millisecond)
}

func TestAPoolThatIsNotOpenYetKeepsItsEnd(t *testing.T) {
	t.Parallel()
	require.Equal(t, map[string][2]uint64{"tools-p1": {3, 5}}, bus.RecordedPools("tools-p1", 3, 5))
}

func TestEndsOfARunningStoreAreRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := setup(t, func(c *bus.Config) { c.Dir, c.Durability = dir, bus.Sync })
	b.approve(t, b.as(t, approval), 40)
	_, err := b.as(t, worker1).CreateClaim(b.ctx, "s1."+callName(1), []byte(`{}`))
	require.NoError(t, err)
	recorded(t, dir, "log", 40)
	recorded(t, dir, "claims", 1)

	for name, harm := range map[string]func(t *testing.T, dir string){
		"log cut": func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(streamDir(dir), "msgs", "1.blk"), 4000))
		},
		"log emptied": func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(streamDir(dir), "msgs", "1.blk"), 0))
		},
		"claims cut": func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(streamFolder(dir, "KV_SLOP_CLAIMS"), "msgs", "1.blk"), 0))
		},
		"claims emptied": func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(streamFolder(dir, "KV_SLOP_CLAIMS"), "msgs")))
			require.NoError(t, os.Mkdir(filepath.Join(streamFolder(dir, "KV_SLOP_CLAIMS"), "msgs"), 0o700))
		},
		"record damaged": func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(dir, "bus", "ends.json"), 20))
		},
		"record removed": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "bus", "ends.json")))
		},
		"another event at the end": func(t *testing.T, dir string) {
			editEnds(t, dir, func(e map[string]any) { e["log"].(map[string]any)["id"] = "other" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyOf(t, dir)
			harm(t, dir)
			_, err := open(t, dir)
			require.ErrorIs(t, err, bus.ErrDamaged)
		})
	}
	t.Run("nothing", func(t *testing.T) {
		s, err := open(t, copyOf(t, dir))
		require.NoError(t, err)
		require.Empty(t, s.Remarks())
	})
}

// TestWhatAnOrderlyStopFlushedStaysSafe has a relaxed store opened again, which
// does not flush it a second time.
func TestWhatAnOrderlyStopFlushedStaysSafe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir, 10)
	b := setup(t, func(c *bus.Config) { c.Dir, c.Durability = dir, bus.Relaxed })
	require.EqualValues(t, 10, readEnds(dir)["log"].(map[string]any)["synced"])
	b.approve(t, b.as(t, approval), 5)
	recorded(t, dir, "log", 15)
	require.EqualValues(t, 10, readEnds(dir)["log"].(map[string]any)["synced"], "the others may be lost with the power")
}
