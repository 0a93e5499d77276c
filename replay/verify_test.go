package replay_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/replay"
)

// seeds are how often each scenario is played, each time with other turns.
const seeds = 12

func TestEveryTruthfulHistoryVerifies(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		for seed := range uint64(seeds) {
			t.Run(fmt.Sprintf("%s/%d", s.name, seed), func(t *testing.T) {
				t.Parallel()
				history := play(seed, scenarioNamed(s.name))
				report, err := replay.Verify(history, replay.Deciders()...)
				require.NoError(t, err)
				require.Equal(t, len(history), report.Events)
				require.True(t, report.Closed)
				require.Empty(t, report.Owed)
			})
		}
	}
}
