package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMonitorMeasuresThisProcess(t *testing.T) {
	t.Parallel()
	m := newMonitor()
	var sum int
	for i := range 5_000_000 {
		sum += i * i
	}
	require.NotZero(t, sum)
	p, err := m.look(t.Context())
	require.NoError(t, err)
	require.Nil(t, p.FPS)
	require.Nil(t, p.InputLagMS)
	require.GreaterOrEqual(t, p.CPUPercent, 0.0)
	require.Greater(t, p.MemoryBytes, int64(1<<20))
	require.Positive(t, p.HeapBytes)
	require.Positive(t, p.Goroutines)
	require.Positive(t, p.UptimeS)
	require.Greater(t, processorTime().Nanoseconds(), int64(0))
}
