package bench

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/events"
)

// sessionsLeftOpen says how many sessions are opened and left open before what is
// alive is looked at first, and how many then.
func sessionsLeftOpen() (first, then int) {
	if os.Getenv("SLOP_LOAD") == "full" {
		return 100, 200
	}
	return 17, 24
}

// What an open session at rest may leave alive of what our code allocated, before
// its deciders are put to rest a minute later; the goal is half a MiB of memory.
const leftOfOpenSession = 192 << 10

// TestOpenSessionsKeepLittle reaches a goal in session after session, and leaves
// them open.
func TestOpenSessionsKeepLittle(t *testing.T) {
	countAllocations(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	m := newWorkers(t, reading(t, 8), nil)
	first, then := sessionsLeftOpen()
	for i := range first {
		m.leaveOpen(t, i)
	}
	heap := ownHeap()
	for i := range then {
		m.leaveOpen(t, first+i)
	}
	after := heapBelow(t, heap+comesAndGoes+then*leftOfOpenSession)
	t.Logf("our own heap: %d KiB with %d open sessions and %d KiB with %d more: %d KiB each",
		heap>>10, first, after>>10, then, (after-heap)/then>>10)
}

// leaveOpen works in one session, a new one but for the first.
func (m *Workers) leaveOpen(t *testing.T, n int) {
	t.Helper()
	if n > 0 {
		v, err := engine.OpenSession(m.Ctx, m.log, m.Place, m.Mask, "", true)
		require.NoError(t, err)
		m.writer = v
		_, _, err = v.Publish(m.Ctx, events.RuleAdded{Rule: site.YesRule()})
		require.NoError(t, err)
	}
	all := m.reach(t, "read")
	require.NoError(t, m.Live.WaitFor(m.Ctx, all[len(all)-1].Seq))
}
