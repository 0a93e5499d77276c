package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events/eventstest"
)

func TestAnEngineFollowsTheLogWithOneReader(t *testing.T) {
	t.Parallel()
	m := newCrew(t, readingFor(t, 3, 2), nil)
	m.reach(t, "read")
	pools := len(bus.Pools(m.name))
	require.Eventually(t, func() bool { // reads of what is stored come and go
		f, err := m.log.Figures(m.ctx, m.name)
		return err == nil && f.Consumers-pools == 1
	}, eventstest.Patience, 20*time.Millisecond)
}

func TestEngineDecodesEachNewEventOnce(t *testing.T) {
	t.Parallel()
	m := newCrew(t, reading(t, 30), nil)
	before := m.bus.server.Recent().Decoded()
	all := m.reach(t, "read") // by a watch of its own
	decoded := m.bus.server.Recent().Decoded() - before
	require.LessOrEqual(t, decoded, all[len(all)-1].Seq, "events of the session and of its goal")
	require.Greater(t, decoded, uint64(150), "thirty rounds of five events")
}
