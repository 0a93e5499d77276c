package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/projectionstest"
	"manualslop/projections/sessiongen"
)

func TestAModelThatPanicsStopsAloneAndSaysWhere(t *testing.T) {
	t.Parallel()
	log := decoded(t, sessiongen.GenerateSession(5, 300))
	broken, whole := projections.NewSetOf(projectionstest.Breaking("session", projectionstest.On("ModelReplied"))),
		projections.NewSet()
	var at *events.Event
	for i := range log {
		if at == nil && log[i].Type == "ModelReplied" {
			at = &log[i]
		}
		broken.Apply(&log[i])
		whole.Apply(&log[i])
	}
	stopped := broken.Stopped()
	require.Len(t, stopped, 1)
	require.Equal(t, projections.StoppedError{Model: "session", Seq: at.Seq, ID: at.ID, Type: at.Type,
		Reason: "broken on purpose"}, *stopped[0])
	for name, want := range whole.Digest() {
		if name != "session" {
			require.Equal(t, want, broken.Digest()[name], name)
		}
	}
	_, err := broken.View("session")
	require.ErrorIs(t, err, stopped[0])
	require.ErrorIs(t, broken.Show(func(s *projections.Set) { s.Discussion() }), stopped[0])
	require.NoError(t, broken.Show(func(s *projections.Set) { require.Equal(t, whole.MMAStatus(), s.MMAStatus()) }))
	_, err = broken.Snapshot()
	require.ErrorIs(t, err, stopped[0], "nothing of it is stored")
	require.Panics(t, func() { _ = broken.Show(func(*projections.Set) { panic("another") }) },
		"only a stopped model is an error")
}

func TestASummaryThatPanicsStaysAsItWasAndSaysSo(t *testing.T) {
	t.Parallel()
	var s projections.Summarizer
	raw, err := s.MarshalJSON()
	require.NoError(t, err)
	var snap projections.ModelSnapshot
	require.NoError(t, json.Unmarshal(raw, &snap))
	snap.State = json.RawMessage(`{"asks":null}`) // damage that only shows later
	raw, err = json.Marshal(snap)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &s))
	s.Apply(&events.Event{ID: "E1", Seq: 1, Type: "AskRaised", Payload: events.AskRaised{Ask: "A1"}})
	s.Apply(&events.Event{ID: "E2", Seq: 2, Type: "GoalSubmitted", Payload: events.GoalSubmitted{Goal: "Mend"}})
	got := s.Summary()
	require.Contains(t, got.Stalled, "stopped at event 1 (AskRaised)")
	require.Empty(t, got.Goal)
	_, err = s.MarshalJSON()
	require.Error(t, err, "it is not stored")
}
