package work

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestALimitIsASumOfDollars(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]int64{"7.50": 7_500_000, "0.0000001": 1, "1000000": events.MaxBudget} {
		limit, err := limitOf(amount)
		require.NoError(t, err, amount)
		require.Equal(t, want, limit, amount)
	}
	for _, amount := range []string{"0", "-1", "1000000.000001", "1e300", "inf", "nan", "7,50", ""} {
		_, err := limitOf(amount)
		require.ErrorContains(t, err, "must be an amount in dollars", amount)
	}
}
