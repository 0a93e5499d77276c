package live_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
)

func TestLiveFollowsARealBus(t *testing.T) {
	t.Parallel()
	server := bustest.Open(t)
	person := bustest.Connect(t, server, bus.Role{Kind: bus.Person, Name: "ada"})
	gateway := bustest.Connect(t, server, bus.Role{Kind: bus.Gateway})
	say := func(n string, p events.Payload) uint64 {
		e, err := events.New(events.Origin{ID: "E" + n, Time: at, Project: project, Session: "S1", Actor: "ada"}, p)
		require.NoError(t, err)
		seq, err := person.Append(patient(t), e, nil)
		require.NoError(t, err)
		return seq
	}
	say("1", events.SessionOpened{Folder: "20260102_030405"})
	l := open(t, gateway, live.Options{Snapshots: gateway})
	require.Equal(t, "S1", l.Current())
	held := make(chan error, 1)
	go func() {
		held <- l.Await(patient(t), "S1", func(s *projections.Set) bool { return s.MMAStatus().MMAStatus == projections.Planning })
	}()
	seq := say("2", events.GoalSubmitted{Goal: "Mend"})
	require.NoError(t, l.WaitFor(patient(t), seq))
	require.NoError(t, <-held)
	var got []string
	for e, err := range l.Subscribe(patient(t), "S1", 1) {
		require.NoError(t, err)
		if got = append(got, e.Type); len(got) == 2 {
			say("3", events.EventPushed{Kind: "note"})
		}
		if len(got) == 3 {
			break
		}
	}
	require.Equal(t, []string{"SessionOpened", "GoalSubmitted", "EventPushed"}, got)
}
