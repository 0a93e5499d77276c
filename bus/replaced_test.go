package bus_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// storeOf makes a data folder with a log of so many events of its own and the
// tokens of another folder.
func storeOf(t *testing.T, tokens string, n int) string {
	t.Helper()
	dir := t.TempDir()
	raw, err := os.ReadFile(filepath.Join(tokens, "bus-tokens.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bus-tokens.json"), raw, 0o600))
	s := reopen(t, dir, "")
	c, err := s.Connect(approval)
	require.NoError(t, err)
	fill(t, c, "other", n)
	c.Close()
	require.NoError(t, s.Close())
	return dir
}

func fill(t *testing.T, log events.Log, session string, n int) {
	t.Helper()
	build := &eventstest.Builder{Project: "p1", Session: session}
	for range n {
		_, err := log.Append(t.Context(), build.Event(t, events.ActorApproval, events.ToolApproved{Call: session}), nil)
		require.NoError(t, err)
	}
}

func TestAServerThatComesBackWithAnotherHistoryEndsItsFeeds(t *testing.T) {
	t.Parallel()
	for name, length := range map[string]int{"shorter": 2, "as long": 3, "longer": 6, "empty": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, keys := t.TempDir(), filepath.Join(t.TempDir(), "keys")
			address := bustest.Address(t)
			s := reopen(t, data, address)
			require.NoError(t, s.WriteKeys(keys))
			ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
			defer cancel()
			log := dial(t, bus.DialConfig{Creds: filepath.Join(keys, "orchestrator.json"), Role: approval})
			fill(t, log, "s1", 3)
			ended := make(chan error, 2)
			for _, from := range []uint64{1, 4} { // one has seen what was there, one only knows where it stands
				_, feed, err := log.Watch(ctx, events.Filter{Project: "p1"}, from)
				require.NoError(t, err)
				go func() {
					var last error
					for e, err := range feed {
						if last = err; err == nil && e.Session != "s1" {
							last = os.ErrInvalid // another history was mixed in
							break
						}
					}
					ended <- last
				}()
			}
			require.NoError(t, log.Reachable())
			require.NoError(t, s.Close())
			require.Eventually(t, func() bool { return log.Reachable() != nil }, eventstest.Patience, 1e6)
			s = reopen(t, storeOf(t, data, length), address)
			defer s.Close()
			for range 2 {
				require.ErrorIs(t, <-ended, events.ErrReplaced)
			}
			require.NoError(t, log.Reachable())
		})
	}
}

func TestAReaderThatBeginsOnAnotherHistoryThanItsConnectionIsTold(t *testing.T) {
	t.Parallel()
	data, keys := t.TempDir(), filepath.Join(t.TempDir(), "keys")
	address := bustest.Address(t)
	s := reopen(t, data, address)
	require.NoError(t, s.WriteKeys(keys))
	log := dial(t, bus.DialConfig{Creds: filepath.Join(keys, "orchestrator.json"), Role: approval})
	fill(t, log, "s1", 3)
	require.NoError(t, s.Close())
	s = reopen(t, storeOf(t, data, 6), address)
	defer func() { require.NoError(t, s.Close()) }()
	_, _, err := log.Watch(t.Context(), events.Filter{Project: "p1"}, 4)
	require.ErrorIs(t, err, events.ErrReplaced)
	_, err = read(t, t.Context(), log, events.Filter{})
	require.ErrorIs(t, err, events.ErrReplaced)
}
