package bus_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events/eventstest"
)

func TestUnfinishedStoreIsMadeAgain(t *testing.T) {
	t.Parallel()
	made := t.TempDir()
	s, err := bus.Open(t.Context(), bus.Config{Dir: made, Project: bustest.Project, Durability: bus.Relaxed})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	// A loss of power leaves any of the files empty or missing.
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			dir, chance := copyOf(t, made), rand.New(rand.NewPCG(seed, 1))
			require.NoError(t, filepath.WalkDir(filepath.Join(dir, "bus"), func(path string, e os.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				switch chance.IntN(3) {
				case 0:
					return os.Remove(path)
				case 1:
					return os.Truncate(path, 0)
				}
				return nil
			}))
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "bus", "ends.json")))
			s, err := open(t, dir)
			require.NoError(t, err)
			c := bustest.Connect(t, s, approval)
			(&bench{Builder: &eventstest.Builder{Project: "p1", Session: "s1"}, ctx: t.Context()}).approve(t, c, 3)
		})
	}
}

func TestStoreKilledWhileItIsMadeIsMadeAgain(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		dir := t.TempDir()
		killAfterTime(t, dir, time.Duration(rand.New(rand.NewPCG(seed, 2)).IntN(150))*time.Millisecond)
		s, err := bus.Open(t.Context(), bus.Config{Dir: dir, Project: bustest.Project, Durability: bus.Sync})
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, s.Close())
	}
}
