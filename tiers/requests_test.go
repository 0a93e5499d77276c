package tiers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// folded is a fold of payloads, each an event of its own id and sequence.
func folded(payloads ...events.Payload) *tiers.OpenRequests {
	q := &tiers.OpenRequests{}
	for i, p := range payloads {
		q.Fold(&events.Event{ID: string(rune('a' + i)), Type: p.EventType().Name, Seq: uint64(i + 1), Payload: p})
	}
	return q
}

func TestEachRequestIsOpenUntilItsOutcome(t *testing.T) {
	t.Parallel()
	due := time.Unix(1, 0)
	for name, c := range map[string]struct {
		asked events.Payload
		pool  string
		ends  []events.Payload
		not   []events.Payload
	}{
		"call": {
			events.ToolApproved{Call: "c", Generation: 2}, events.PoolTools,
			[]events.Payload{events.ToolSettled{Call: "c", Generation: 2}, events.ToolSettled{Call: "c", Generation: 3},
				events.ToolParked{Call: "c"}},
			[]events.Payload{events.ToolSettled{Call: "c", Generation: 1}, events.ToolSettled{Call: "d", Generation: 2},
				events.ToolStarted{Call: "c", Generation: 2}},
		},
		"views": {events.ContextRequested{}, events.PoolShort, []events.Payload{events.ContextBuilt{Request: "a"}},
			[]events.Payload{events.ContextBuilt{Request: "b"}}},
		"injection": {events.ContextInjectionRequested{}, events.PoolShort,
			[]events.Payload{events.ContextBuilt{Request: "a"}}, []events.Payload{events.FilesUpdated{Request: "b"}}},
		"refresh": {events.RefreshRequested{}, events.PoolShort, []events.Payload{events.FilesUpdated{Request: "a"}}, nil},
		"workspace": {events.WorkspaceRequested{}, events.PoolTools, []events.Payload{events.WorkspacePrepared{Request: "a"}},
			nil},
		"merge": {events.MergeRequested{}, events.PoolTools, []events.Payload{events.MergeSettled{Request: "a"}}, nil},
		"model": {
			events.ModelRequested{}, events.PoolModels,
			[]events.Payload{events.ModelReplied{Request: "a"}, events.ModelFailed{Request: "a"},
				events.ModelDenied{Request: "a"}},
			[]events.Payload{events.ModelStarted{Request: "a"}, events.ModelReplied{Request: "b"}},
		},
		"timer": {events.AskRaised{Ask: "q", ExpiresAt: &due}, "", []events.Payload{events.AskSettled{Ask: "q"}},
			[]events.Payload{events.TimerFired{Ask: "q"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := folded(append([]events.Payload{c.asked}, c.not...)...).List()
			require.Len(t, open, 1)
			require.Equal(t, c.pool, open[0].Pool)
			require.EqualValues(t, 1, open[0].Seq)
			for _, end := range c.ends {
				require.Empty(t, folded(c.asked, end).List())
				require.True(t, tiers.OfRequests(end), "%T", end)
				if c.pool == events.PoolModels || c.pool == "" {
					continue
				}
				require.Contains(t, tiers.Outcomes(c.asked), end.EventType().Name)
			}
		})
	}
}

func TestAPreviewIsTheOutcomeOfItsRequestOnly(t *testing.T) {
	t.Parallel()
	q := folded(events.PreviewRequested{Call: "c"}, events.PreviewRequested{Call: "c"})
	require.Len(t, q.List(), 2)
	for range 2 { // an outcome may come twice
		q.Fold(&events.Event{Cause: "a", Payload: events.PreviewBuilt{Call: "c"}})
		require.Len(t, q.List(), 1)
		require.Equal(t, events.PoolShort, q.List()[0].Pool)
		require.EqualValues(t, 2, q.List()[0].Seq)
	}
	q.Fold(&events.Event{Cause: "b", Payload: events.PreviewBuilt{Call: "c"}})
	require.Empty(t, q.List())
	require.Equal(t, []string{"PreviewBuilt"}, tiers.Outcomes(events.PreviewRequested{}))
	require.True(t, tiers.OfRequests(events.PreviewBuilt{}))
}

func TestAParkedPreviewIsNoLongerOpen(t *testing.T) {
	t.Parallel()
	q := folded(events.PreviewRequested{Call: "c"}, events.PreviewRequested{Call: "d"})
	q.Fold(&events.Event{Cause: "a", Payload: events.ToolParked{Call: "c"}})
	require.Len(t, q.List(), 1)
	require.Equal(t, "b", q.List()[0].Key)
	q.Fold(&events.Event{Cause: "z", Payload: events.ToolParked{Call: "d"}})
	require.Len(t, q.List(), 1, "parking a call leaves its preview to its own outcome")
}

func TestGuardedModelCallIsHandedOutWhenItIsAllowedOrItsSessionIsOver(t *testing.T) {
	t.Parallel()
	asked := events.ModelRequested{Guarded: true}
	require.Zero(t, folded(asked).List()[0].Seq)
	require.EqualValues(t, 2, folded(asked, events.ModelApproved{Request: "a"}).List()[0].Seq)
	require.EqualValues(t, 1, folded(asked, events.SessionClosed{}).List()[0].Seq)
	require.EqualValues(t, 2, folded(events.SessionClosed{}, asked).List()[0].Seq)
}

func TestAnAskThatNeverExpiresWaitsForNoEffect(t *testing.T) {
	t.Parallel()
	require.Empty(t, folded(events.AskRaised{Ask: "q"}).List())
}

func TestReturnsOfARequestAreCounted(t *testing.T) {
	t.Parallel()
	q := folded(events.ToolApproved{Call: "c", Generation: 1}, events.RequestReturned{Key: "call c"},
		events.RequestReturned{Key: "call c"})
	require.Equal(t, 2, q.Open["call c"].Returned)
	require.EqualValues(t, 3, q.Returned)
}
