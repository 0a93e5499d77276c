package live_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/projectionstest"
)

func TestAModelThatStopsIsBackWithAProgramThatCanFoldTheEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.opens("S1")
	snapshots := newStore()
	broken := open(t, b.log, live.Options{Snapshots: snapshots, SnapshotEvery: 1,
		Models: projectionstest.Breaking("session", projectionstest.On("GoalSubmitted"))})
	v, _ := broken.Session("S1")
	require.NoError(t, v.Read(patient(t), func(s *projections.Set) { s.Discussion() }))
	goal := b.say("S1", "ada", events.GoalSubmitted{Goal: "Mend"})
	last := b.say("S1", "ada", events.EventPushed{Kind: "note"})
	require.NoError(t, broken.WaitFor(patient(t), last))
	var stopped *projections.StoppedError
	require.ErrorAs(t, v.Read(patient(t), func(s *projections.Set) { s.Discussion() }), &stopped)
	require.Equal(t, goal, stopped.Seq)
	require.Equal(t, []*projections.StoppedError{stopped}, v.Stopped())
	require.ErrorAs(t, broken.Await(patient(t), "S1", func(s *projections.Set) bool {
		return len(s.Discussion().Entries) > 9
	}), &stopped)
	_, err := v.Rendered(patient(t), live.Rendering{Name: "x", Render: func(s *projections.Set) ([]byte, error) {
		s.Discussion()
		return nil, nil
	}})
	require.ErrorAs(t, err, &stopped)
	require.NoError(t, v.Read(patient(t), func(s *projections.Set) {
		require.Equal(t, projections.Planning,
			s.MMAStatus().MMAStatus)
	}))
	require.NoError(t, broken.Close())

	mended := open(t, b.log, live.Options{Snapshots: snapshots})
	fresh := open(t, b.log, live.Options{})
	require.Equal(t, digest(t, fresh, "S1"), digest(t, mended, "S1"))
	again, _ := mended.Session("S1")
	require.Empty(t, again.Stopped())
}

func TestWhoWaitsForAStateOfAModelThatStopsIsReleased(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.opens("S1")
	l := open(t, b.log, live.Options{Models: projectionstest.Breaking("session", projectionstest.On("GoalSubmitted"))})
	looked, ended := make(chan struct{}, 10), make(chan error, 1)
	go func() {
		ended <- l.Await(patient(t), "S1", func(s *projections.Set) bool {
			looked <- struct{}{}
			return len(s.Discussion().Entries) > 9
		})
	}()
	<-looked
	b.say("S1", "ada", events.GoalSubmitted{Goal: "Mend"})
	var stopped *projections.StoppedError
	require.ErrorAs(t, <-ended, &stopped)
}
