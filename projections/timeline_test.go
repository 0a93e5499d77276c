package projections_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestTheTimelineKeepsItsNewestRowsAndSaysHowManyItDropped(t *testing.T) {
	t.Parallel()
	set := projections.NewSet()
	push := func(seq int) {
		id := strconv.Itoa(seq)
		set.Apply(&events.Event{ID: id, Seq: uint64(seq), Session: "S1", Type: "EventPushed", Payload: events.EventPushed{
			Kind: "note"}})
	}
	const limit = projections.MaxTimeline
	for seq := 1; seq <= limit; seq++ {
		push(seq)
	}
	require.Len(t, set.Timeline(0, 0), limit)
	require.Zero(t, set.TimelineDropped())
	for seq := limit + 1; seq <= 3*limit; seq++ {
		push(seq)
		kept := set.Timeline(0, 0)
		require.GreaterOrEqual(t, len(kept), limit)
		require.LessOrEqual(t, len(kept), limit+limit/10+1)
		require.EqualValues(t, seq, set.TimelineDropped()+uint64(len(kept)), "every row is kept or counted")
	}
	require.EqualValues(t, 3*limit, set.Timeline(0, 0)[len(set.Timeline(0, 0))-1].Seq)
}
