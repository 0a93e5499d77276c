package rawbus_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/bus/rawbus"
)

func TestTheRawChainMakesItsTrips(t *testing.T) {
	t.Parallel()
	s := bustest.Open(t, func(c *bus.Config) { c.Project = rawbus.Project })
	chain, err := rawbus.New(s.Stock, "S1")
	require.NoError(t, err)
	defer chain.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { _ = rawbus.Work(ctx, s.Stock, bus.WorkerName("test", 1), 4) })
	for range 3 {
		pair, err := chain.Pair(ctx)
		require.NoError(t, err)
		require.Positive(t, pair)
		whole, err := chain.Trip(ctx)
		require.NoError(t, err)
		require.Positive(t, whole)
	}
	rate, err := chain.Rate(ctx, 8, 40)
	require.NoError(t, err)
	require.Positive(t, rate)
	_, err = chain.Trip(ctx)
	require.NoError(t, err, "nothing of the rate is left over")
}
