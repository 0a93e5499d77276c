package eventstest

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func testOrder(s *suite) {
	written := s.ready(20)
	require.Equal(s, wire(written), s.read(events.Filter{}, 1, 0))
	for i, e := range written {
		require.Equal(s, uint64(i+1), e.Seq, "sequences count from 1 without a gap")
	}
	last, err := s.log.Last(s.ctx, events.Filter{})
	require.NoError(s, err)
	require.Equal(s, uint64(20), last)
}

// conductorOnly is the filter with a single writer in these tests.
var conductorOnly = events.Filter{Project: "p1", Session: "s1", Actor: events.ActorConductor}

func testExpect(s *suite) {
	e := s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: "T-001"})
	seq, err := s.log.Append(s.ctx, e, &events.Expect{Filter: conductorOnly, Last: 0})
	require.NoError(s, err, "0 means none yet")
	s.put(s.build.Event(s, "ada", events.PauseRequested{}))
	_, err = s.log.Append(s.ctx, s.build.Event(s, events.ActorConductor, events.Paused{By: "ada"}),
		&events.Expect{Filter: conductorOnly, Last: seq})
	require.NoError(s, err, "what others write under other filters does not disturb")
}

func testConflict(s *suite) {
	first := s.ready(1)[0]
	for name, last := range map[string]uint64{"too old": 0, "of the future": first.Seq + 5} {
		e := s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: "T-002"})
		_, err := s.log.Append(s.ctx, e, &events.Expect{Filter: conductorOnly, Last: last})
		require.ErrorIs(s, err, events.ErrConflict, name)
	}
	require.Equal(s, []string{first.ID}, ids(s.read(events.Filter{}, 1, 0)), "a refused event is not stored")
}

func testRace(s *suite) {
	const racers = 16
	all := make([]events.Event, racers)
	for i := range all {
		all[i] = s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: "T-001"})
	}
	errs := make([]error, racers)
	var wg sync.WaitGroup
	for i, e := range all {
		wg.Go(func() { _, errs[i] = s.log.Append(s.ctx, e, &events.Expect{Filter: conductorOnly}) })
	}
	wg.Wait()
	var winners []string
	for i, err := range errs {
		if err == nil {
			winners = append(winners, all[i].ID)
			continue
		}
		require.ErrorIs(s, err, events.ErrConflict)
	}
	require.Len(s, winners, 1)
	require.Equal(s, winners, ids(s.read(events.Filter{}, 1, 0)))
}

func testDuplicate(s *suite) {
	e := s.ready(1)[0]
	s.ready(3)
	require.Equal(s, e.Seq, s.put(e), "a second append is acknowledged with the first one's sequence")
	require.Len(s, s.read(events.Filter{}, 1, 0), 4)
}

func testSameIDElsewhere(s *suite) {
	e := s.ready(1)[0]
	e.Session = "copy"
	require.Equal(s, uint64(2), s.put(e), "ids are unique in a session only")
	require.Equal(s, []string{e.ID, e.ID}, ids(s.read(events.Filter{}, 1, 0)))
}

func testRepeatedExpect(s *suite) {
	e := s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: "T-001"})
	x := &events.Expect{Filter: conductorOnly}
	seq, err := s.log.Append(s.ctx, e, x)
	require.NoError(s, err)
	again, err := s.log.Append(s.ctx, e, x)
	require.NoError(s, err, "the first answer may have been lost")
	require.Equal(s, seq, again)
	s.ready(1)
	_, err = s.log.Append(s.ctx, e, x)
	require.ErrorIs(s, err, events.ErrConflict, "another writer appended after it")
}

func testTooLarge(s *suite) {
	e := s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: ""})
	bare, err := json.Marshal(e)
	require.NoError(s, err)
	grow := func(by int) events.Event {
		e := e
		e.Data = json.RawMessage(`{"ticket":"` + strings.Repeat("x", by) + `"}`)
		return e
	}
	exact := grow(events.MaxEventBytes - len(bare))
	_, err = s.log.Append(s.ctx, grow(events.MaxEventBytes-len(bare)+1), nil)
	require.ErrorIs(s, err, events.ErrTooLarge)
	s.put(exact)
	require.Len(s, s.read(events.Filter{}, 1, 0), 1, "an event of exactly the limit fits")
}

func testBadSubject(s *suite) {
	for _, bad := range []string{"a.b", "*", ">", "ü", strings.Repeat("x", events.MaxToken+1)} {
		e := s.build.Event(s, events.ActorConductor, events.TicketReady{Ticket: "T-001"})
		e.Session = bad
		_, err := s.log.Append(s.ctx, e, nil)
		require.ErrorIs(s, err, events.ErrSubject, bad)
	}
	require.Empty(s, s.read(events.Filter{}, 1, 0))
}

func testConcurrent(s *suite) {
	const writers, each = 8, 25
	errs := make(chan error, writers)
	for range writers {
		list := make([]events.Event, each)
		for i := range list {
			list[i] = s.build.Event(s, events.ActorLead, events.TicketReady{Ticket: "T"})
		}
		go func() {
			var all error
			for _, e := range list {
				_, err := s.log.Append(s.ctx, e, nil)
				all = errors.Join(all, err)
			}
			errs <- all
		}()
	}
	for range writers {
		require.NoError(s, <-errs)
	}
	seen := map[string]bool{}
	for i, e := range s.read(events.Filter{}, 1, 0) {
		require.Equal(s, uint64(i+1), e.Seq)
		seen[e.ID] = true
	}
	require.Len(s, seen, writers*each)
}
