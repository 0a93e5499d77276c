package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events/eventstest"
)

func TestAnEngineFollowsTheLogWithOneReader(t *testing.T) {
	t.Parallel()
	m := newWorkers(t, readingFor(t, 3, 2), nil)
	m.reach(t, "read")
	pools := len(bus.Pools(m.Name))
	require.Eventually(t, func() bool { // reads of what is stored come and go
		f, err := m.log.Figures(m.Ctx, m.Name)
		return err == nil && f.Consumers-pools == 1
	}, eventstest.Patience, 20*time.Millisecond)
}
