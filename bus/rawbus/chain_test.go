package rawbus_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/bus/rawbus"
	"manualslop/events"
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

func TestRawRoundsHaveTheAppendsTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	s := bustest.Open(t, func(c *bus.Config) { c.Project = rawbus.Project })
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { _ = rawbus.Work(ctx, s.Stock, bus.WorkerName("test", 1), 4) })
	raw, err := rawbus.NewRounds(s.Stock, 3, 5)
	require.NoError(t, err)
	defer raw.Close()
	for range 2 {
		times, err := raw.Run(ctx, 4)
		require.NoError(t, err)
		require.Len(t, times, 3*4)
	}
	reader, err := s.Connect(bus.Role{Kind: bus.Reader})
	require.NoError(t, err)
	defer reader.Close()
	last, err := reader.Last(ctx, events.Filter{Project: rawbus.Project})
	require.NoError(t, err)
	require.EqualValues(t, 2*3*4*5, last)
	_, err = rawbus.NewRounds(s.Stock, 1, 2)
	require.Error(t, err, "an approval has a request and an outcome")
}
