package replay_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers"
	"manualslop/tiers/snapshot"
)

// restored is a new machine with the state of another one.
func restored(t *testing.T, start func() *tiers.Machine, from *tiers.Machine) *tiers.Machine {
	t.Helper()
	state, n := from.State()
	stored, err := snapshot.Encode(state)
	require.NoError(t, err)
	to := start()
	empty, m := to.State()
	require.NoError(t, snapshot.Decode(stored, empty))
	*m = *n
	requireSameState(t, from, to)
	return to
}

func requireSameState(t *testing.T, a, b *tiers.Machine) {
	t.Helper()
	digest := func(m *tiers.Machine) string {
		state, n := m.State()
		d, err := snapshot.Digest(state)
		require.NoError(t, err)
		return fmt.Sprint(d, *n)
	}
	require.Equal(t, digest(a), digest(b))
}

// goOn gives events to a decider that was stored and taken back after each of
// them, and to one that goes on from a snapshot at each position in at, and
// holds their decisions against those of one that never stopped.
func goOn(t *testing.T, start func() *tiers.Machine, log []events.Event, at func(i int) bool) {
	t.Helper()
	whole, others := start(), []*tiers.Machine{start()}
	for i := range log {
		want, err := whole.Take(&log[i])
		require.NoError(t, err)
		for _, m := range others {
			got, err := m.Take(&log[i])
			require.NoError(t, err)
			require.Equal(t, want, got, "%s decides otherwise on %s, event %d", m.Name(), log[i].Type, i)
		}
		others[0] = restored(t, start, others[0])
		if at(i) {
			others = append(others, restored(t, start, whole))
		}
	}
	for _, m := range others {
		requireSameState(t, whole, m)
	}
}

func TestDecidersGoOnFromASnapshotAtAnyPositionAsIfTheyHadNeverStopped(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(histories, "good", "*.jsonl"))
	require.NoError(t, err)
	logs := map[string][]events.Event{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		back, err := imported(t, b)
		require.NoError(t, err)
		logs[filepath.Base(file)] = back.Events
	}
	for _, s := range scenarios() {
		logs["generated "+s.name] = play(rand.Uint64(), s.script)
	}
	registry := events.Catalogue()
	for name, log := range logs {
		for i := range log {
			registry.Decode(&log[i])
		}
		for _, start := range replay.Deciders() {
			t.Run(name+" "+start().Name(), func(t *testing.T) {
				t.Parallel()
				goOn(t, start, log, func(i int) bool { return i%64 == 0 })
			})
		}
	}
}

func TestADamagedOrHostileStateIsRefusedAndNeverAPanic(t *testing.T) {
	t.Parallel()
	log := play(3, scenarioNamed("asked"))
	registry := events.Catalogue()
	chance := rand.New(rand.NewPCG(1, 2))
	for _, start := range replay.Deciders() {
		m := start()
		for i := range log {
			registry.Decode(&log[i])
			_, err := m.Take(&log[i])
			require.NoError(t, err)
		}
		state, _ := m.State()
		stored, err := snapshot.Encode(state)
		require.NoError(t, err)
		for n := range min(len(stored), 2000) {
			empty, _ := start().State()
			require.Error(t, snapshot.Decode(stored[:n], empty), "cut at %d", n)
		}
		for range 2000 {
			spoiled := append([]byte(nil), stored...)
			for range 1 + chance.IntN(4) {
				spoiled[chance.IntN(len(spoiled))] = byte(chance.Uint32())
			}
			empty, _ := start().State()
			_ = snapshot.Decode(spoiled, empty) // an error or a state, never a panic
		}
		empty, _ := start().State()
		require.Error(t, snapshot.Decode(append(stored, 0), empty))
	}
}

func TestEveryDecidersStateCanBeStored(t *testing.T) {
	t.Parallel()
	shapes := map[string]string{}
	for _, start := range replay.Deciders() {
		state, _ := start().State()
		shape, err := snapshot.Shape(state)
		require.NoError(t, err, start().Name())
		require.Empty(t, shapes[shape], "two deciders have states of one shape")
		shapes[shape] = start().Name()
	}
	_, err := snapshot.Shape(&struct{ x any }{json.RawMessage(nil)})
	require.ErrorIs(t, err, snapshot.ErrShape)
}
