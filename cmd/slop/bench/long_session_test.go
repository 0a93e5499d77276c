package bench

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
)

// What a round of a contributor may leave alive of what our code allocated,
// while its events are about 4 kB of JSON: its texts once for prompts and once
// for what people read, and a few lines in lists.
const leftOfRound = 20 << 10

// TestALongSessionGrowsByItsRoundsOnly works for goal after goal in one session.
// Each round may add to what is alive as much as the round before and no more.
func TestALongSessionGrowsByItsRoundsOnly(t *testing.T) {
	rounds := 20
	if os.Getenv("SLOP_LOAD") == "full" {
		rounds = 900
	}
	countAllocations(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	m := newWorkers(t, readingFor(t, 3, rounds), func(c *config.Config) {
		three := c.Tiers["3"]
		three.MaxRounds = 1000
		c.Tiers["3"] = three
	})
	work := func() {
		all := m.reach(t, "read")
		require.NoError(t, m.Live.WaitFor(m.Ctx, all[len(all)-1].Seq))
	}
	work()
	first := ownHeap()
	work()
	second := ownHeap()
	work()
	before := second - first
	after := heapBelow(t, second+comesAndGoes+min(rounds*leftOfRound, max(0, before)*5/4)) - second
	t.Logf("own heap of %d rounds: %d KiB, %d more, %d more; %d bytes a round", rounds, first>>10, before>>10, after>>10,
		after/rounds)
}
