package bus_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

// wasCutOff turns a killed relaxed store into one that lost power: the end of
// each file that was written to last is missing, and the machine is another run.
func wasCutOff(t *testing.T, dir string, chance *rand.Rand) {
	t.Helper()
	editEnds(t, dir, func(e map[string]any) { e["boot"] = "another" })
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "bus", "jetstream"), func(path string, e os.DirEntry,
		err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch name := e.Name(); {
		case strings.HasPrefix(name, "meta") && strings.Contains(path, "obs"), name == "o.dat", name == "index.db":
			return os.Truncate(path, 0)
		case strings.HasSuffix(name, ".blk") && chance.IntN(4) == 0:
			return os.Remove(path)
		case strings.HasSuffix(name, ".blk"):
			return os.Truncate(path, chance.Int64N(info.Size()+1))
		}
		return nil
	}))
}

func TestRelaxedStoreThatLostPowerKeepsABeginningAndSaysSo(t *testing.T) {
	t.Parallel()
	killed, _ := killedStore(t, bus.Relaxed, 80)
	recordedAlready := func(dir string) {
		editEnds(t, dir, func(e map[string]any) { e["log"].(map[string]any)["seq"] = 100 })
	}
	for seed := range uint64(10) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			dir := copyOf(t, killed)
			recordedAlready(dir)
			wasCutOff(t, dir, rand.New(rand.NewPCG(seed, 3)))
			s, err := open(t, dir, func(c *bus.Config) { c.Durability = bus.Relaxed })
			require.NoError(t, err)
			require.NotEmpty(t, s.Remarks())
			list, err := read(t, t.Context(), bustest.Connect(t, s, reader), events.Filter{})
			require.NoError(t, err)
			settled, c := map[string]bool{}, bustest.Connect(t, s, worker1)
			for i, e := range list {
				require.Equal(t, uint64(i+1), e.Seq)
				settled[e.Corr] = settled[e.Corr] || e.Type == "ToolSettled"
			}
			for call, over := range settled {
				if !over {
					_, err := c.CreateClaim(t.Context(), "s1."+call, []byte(`{}`))
					require.ErrorIs(t, err, events.ErrClaimed, "%s may have begun", call)
				}
			}
		})
	}
}

func TestRelaxedStoreOfTheSameRunOfTheMachineMayLoseNothing(t *testing.T) {
	t.Parallel()
	dir, _ := killedStore(t, bus.Relaxed, 80)
	editEnds(t, dir, func(e map[string]any) { e["log"].(map[string]any)["seq"] = 100 })
	require.NoError(t, os.Truncate(filepath.Join(streamDir(dir), "msgs", "1.blk"), 2000))
	_, err := open(t, dir, func(c *bus.Config) { c.Durability = bus.Relaxed })
	require.ErrorIs(t, err, bus.ErrDamaged)
}
