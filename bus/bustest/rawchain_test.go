package bustest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

func TestRawChainMakesItsRoundTrips(t *testing.T) {
	t.Parallel()
	s := bustest.Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	chain := bustest.NewRawChain(t, s, "s1")
	for range 5 {
		took, err := chain.Trip(ctx)
		require.NoError(t, err)
		require.Positive(t, took)
	}
	var types []string
	for e, err := range bustest.Connect(t, s, bus.Role{Kind: bus.Reader}).Read(ctx, events.Filter{}, 1, 0) {
		require.NoError(t, err)
		types = append(types, e.Type)
	}
	require.Equal(t, []string{"ToolRequested", "ToolApproved", "ToolSettled"}, types[:3])
	require.Len(t, types, 15)
}
