package eventstest

import (
	"encoding/json"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func testBounds(s *suite) {
	s.ready(10)
	for _, c := range []struct{ from, to, first, count uint64 }{
		{0, 0, 1, 10}, {1, 10, 1, 10}, {4, 0, 4, 7}, {4, 6, 4, 3}, {10, 10, 10, 1}, {1, 99, 1, 10}, {11, 0, 0, 0},
		{7, 6, 0, 0},
	} {
		got := s.read(events.Filter{}, c.from, c.to)
		require.Len(s, got, int(c.count), "from %d to %d", c.from, c.to)
		if len(got) > 0 {
			require.Equal(s, c.first, got[0].Seq)
		}
	}
	s.put(s.build.Event(s, "ada", events.PauseRequested{}))
	require.Len(s, s.read(events.Filter{Actor: events.ActorConductor}, 5, 0), 6,
		"events after the last match do not matter")
	require.Empty(s, s.read(events.Filter{Actor: "ada"}, 1, 10), "events after the upper bound are not delivered")
}

func testFilters(s *suite) {
	other := &Builder{Project: "p2", Session: "s2"}
	ready := s.put(s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: "T"}))
	goal := s.put(s.build.Event(s, "ada", events.GoalSubmitted{Goal: "g"}))
	tool := s.put(s.build.Event(s, "worker-h-1", events.ToolSettled{Tool: "read_file"}))
	away := s.put(other.Event(s, "ada", events.GoalSubmitted{Goal: "g"}))
	for _, c := range []struct {
		f    events.Filter
		want []uint64
	}{
		{events.Filter{}, []uint64{ready, goal, tool, away}},
		{events.Filter{Project: "p1"}, []uint64{ready, goal, tool}},
		{events.Filter{Session: "s2"}, []uint64{away}},
		{events.Filter{Actor: "ada"}, []uint64{goal, away}},
		{events.Filter{Project: "p1", Actor: "ada"}, []uint64{goal}},
		{events.Filter{Type: "GoalSubmitted"}, []uint64{goal, away}},
		{events.Filter{Topic: "read_file"}, []uint64{tool}},
		{events.Filter{Topic: "-", Session: "s1"}, []uint64{ready, goal}},
		{events.Filter{Project: "p3"}, nil},
	} {
		var got []uint64
		for _, e := range s.read(c.f, 1, 0) {
			require.True(s, c.f.Match(&e))
			got = append(got, e.Seq)
		}
		require.Equal(s, c.want, got, c.f.Subject())
		last, err := s.log.Last(s.ctx, c.f)
		require.NoError(s, err)
		if len(c.want) == 0 {
			require.Zero(s, last)
		} else {
			require.Equal(s, c.want[len(c.want)-1], last, c.f.Subject())
		}
	}
}

func testUnknown(s *suite) {
	e := s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: "T"})
	e.Type, e.V, e.Data = "FromTheFuture", 7, json.RawMessage(`{"more":[1,2,{"x":null}]}`)
	e.Seq = s.put(e)
	got := s.read(events.Filter{}, 1, 0)
	require.Equal(s, wire([]events.Event{e}), got)
	events.Catalogue().Decode(&got[0])
	require.Equal(s, events.Unknown{Name: "FromTheFuture", Version: 7, Raw: e.Data}, got[0].Payload)
}

// bare stores a message as a plain client would publish it.
func (s *suite) bare(subject, msgID, body string) {
	s.Helper()
	b, ok := s.log.(BareAppender)
	require.True(s, ok, "a log under test is a BareAppender")
	require.NoError(s, b.AppendBare(s.ctx, subject, msgID, []byte(body)))
}

func testBareAnswer(s *suite) {
	s.bare("slop.ev.p1.s1.ada.AskAnswered.tool", "mine", `{"ask":"01K","decision":"yes"}`)
	s.bare("slop.ev.p1.s1.bob.AskAnswered.tool", "", `{"ask":"01K","decision":"no","reason":"not this file"}`)
	got := s.read(events.Filter{Type: "AskAnswered"}, 1, 0)
	require.Len(s, got, 2)
	for i := range got {
		events.Catalogue().Decode(&got[i])
		require.Equal(s, "01K", got[i].Corr)
		require.False(s, got[i].Time.IsZero())
	}
	require.Equal(s, "mine", got[0].ID)
	require.Equal(s, events.AskAnswered{Ask: "01K", Decision: events.Yes}, got[0].Payload)
	require.Equal(s, "bob", got[1].Actor)
	require.NotEmpty(s, got[1].ID)
	require.Equal(s, events.AskAnswered{Ask: "01K", Decision: events.No, Reason: "not this file"}, got[1].Payload)
	require.Equal(s, got[1].ID, s.read(events.Filter{Actor: "bob"}, 1, 0)[0].ID,
		"a lifted id is the same for every reader")
}

func testMalformed(s *suite) {
	s.bare("slop.ev.p1.s1.ada.GoalSubmitted.-", "", `not JSON`)
	s.bare("slop.ev.p1.s1.ada.GoalSubmitted.-", "", `{"goal":"a body without an envelope"}`)
	s.ready(1)
	got := s.read(events.Filter{}, 1, 0)
	require.Len(s, got, 3)
	require.IsType(s, events.Malformed{}, got[0].Payload)
	require.IsType(s, events.Malformed{}, got[1].Payload)
	require.Equal(s, "TicketReady", got[2].Type)
}

func testStopEarly(s *suite) {
	s.ready(10)
	seen := 0
	for _, err := range s.log.Read(s.ctx, events.Filter{}, 1, 0) {
		require.NoError(s, err)
		if seen++; seen == 3 {
			break
		}
	}
	require.Equal(s, 3, seen)
	require.Len(s, s.read(events.Filter{}, 1, 0), 10)
}
