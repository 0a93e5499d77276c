package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/sessiongen"
)

func TestAModelThatAnEventIsNotForKeepsItsStateAndItsRevision(t *testing.T) {
	t.Parallel()
	log := decoded(t, sessiongen.GenerateSession(9, 300))
	set := projections.NewSet()
	moved := map[string]int{}
	before := set.Digest()
	for i := range log {
		at := map[string]uint64{}
		for _, name := range set.Names() {
			at[name] = set.Revision(name)
		}
		set.Apply(&log[i])
		now := set.Digest()
		for name, digest := range now {
			if set.Revision(name) == at[name] {
				require.Equal(t, before[name], digest, "%s changed with %s and did not say so", name, log[i].Type)
			} else {
				moved[name]++
			}
		}
		before = now
	}
	require.Equal(t, len(log), moved["timeline"])
	require.Less(t, moved["asks"], moved["session"])
	require.Zero(t, set.Revision("no such model"))
	require.GreaterOrEqual(t, set.Revision(), set.Revision("timeline"))
}

func TestPushedEntriesLeaveEverythingButTheQueueAndTheTimeline(t *testing.T) {
	t.Parallel()
	set := projections.NewSet()
	set.Apply(&events.Event{ID: "E1", Seq: 1, Session: "S1", Type: "EventPushed", Payload: events.EventPushed{
		Kind: "note"}})
	for _, name := range set.Names() {
		require.Equal(t, name == "events" || name == "timeline", set.Revision(name) == 1, name)
	}
}
