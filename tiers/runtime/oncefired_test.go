package runtime_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// TestAnExpiryThatAnotherProcessRecordedLongAgoIsNotRecordedAgain has a bus that
// has forgotten the id of the event, as after ten minutes, and a process that
// slept; another ask of the session expires at the same moment.
func TestAnExpiryThatAnotherProcessRecordedLongAgoIsNotRecordedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := eventstest.NewMemory()
		defer log.Close()
		due := time.Now().Add(time.Second)
		raise := func(ask string) events.Event {
			e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
				Actor: events.ActorApproval},
				events.AskRaised{Ask: ask, Gate: events.GateTool, ExpiresAt: &due})
			require.NoError(t, err)
			e.Payload = events.AskRaised{Ask: ask, Gate: events.GateTool, ExpiresAt: &due}
			return e
		}
		known, fresh := raise("known"), raise("fresh")
		fired, err := events.New(events.Origin{ID: events.DecidedID(events.ActorTimers, known, 0), Time: due,
			Project: project, Session: session, Actor: events.ActorTimers, Cause: known.ID},
			events.TimerFired{Ask: "known", Due: due})
		require.NoError(t, err)
		body, err := fired.MarshalJSON()
		require.NoError(t, err)
		require.NoError(t, log.AppendBare(t.Context(), fired.Subject(), "", body))
		timers := &runtime.Timers{Log: log, Clock: time.Now, Logger: logger()}
		timers.Take(t.Context(), &known)
		timers.Take(t.Context(), &fresh)
		<-time.After(time.Minute) // of the test's own time
		synctest.Wait()
		ids := map[string]int{}
		for _, e := range eventstest.All(t, log, events.Filter{Project: project}) {
			ids[e.ID]++
		}
		require.Equal(t, map[string]int{fired.ID: 1, events.DecidedID(events.ActorTimers, fresh, 0): 1}, ids)
	})
}
