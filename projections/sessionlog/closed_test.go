package sessionlog_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestALateEventOfASessionClosedLongAgoIsWritten closes one session more than
// the writer keeps rendered and then goes on in each, the first one first.
func TestALateEventOfASessionClosedLongAgoIsWritten(t *testing.T) {
	t.Parallel()
	const kept = 8
	s := newStage(t)
	w := s.writer()
	sessions := make([]*story, kept+1)
	take := func(e events.Event) {
		e = s.add(e)
		require.NoError(t, w.Take(patient(t), &e))
	}
	for i := range sessions {
		by := tell(t)
		by.session, by.n = fmt.Sprintf("S%d", i), 100*i
		sessions[i] = by
		open := opened()
		open.Folder = fmt.Sprintf("20260102_030405_%d", i)
		take(by.event("ada", open))
		take(by.event("ada", events.SessionClosed{Reason: "done"}))
	}
	want := map[string]string{}
	for _, by := range sessions {
		take(by.event(events.ActorGateway, events.HookCalled{Method: "POST", Path: "/late", Status: 409}))
		maps.Copy(want, s.rendered(by.session))
	}
	require.Equal(t, want, s.files())
}
