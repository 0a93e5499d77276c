package eventstest

import (
	"context"
	"iter"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// watching reads a feed on its own goroutine.
type watching struct {
	events chan events.Event
	errs   chan error
}

func follow(feed iter.Seq2[events.Event, error]) *watching {
	w := &watching{make(chan events.Event), make(chan error, 1)}
	go func() {
		defer close(w.events)
		for e, err := range feed {
			if err != nil {
				w.errs <- err
				return
			}
			w.events <- e
		}
	}()
	return w
}

// next waits for the feed's next event.
func (w *watching) next(s *suite) events.Event {
	s.Helper()
	select {
	case e, ok := <-w.events:
		if !ok {
			select {
			case err := <-w.errs:
				require.NoError(s, err)
			default:
			}
			require.Fail(s, "the feed ended")
		}
		return e
	case <-s.ctx.Done():
		require.Fail(s, "no event came")
	}
	return events.Event{}
}

func (s *suite) watch(ctx context.Context, f events.Filter, from uint64) (uint64, *watching) {
	s.Helper()
	cutoff, feed, err := s.log.Watch(ctx, f, from)
	require.NoError(s, err)
	return cutoff, follow(feed)
}

func testWatch(s *suite) {
	past := s.ready(3)
	s.put(s.build.Event(s, "ada", events.PauseRequested{}))
	cutoff, w := s.watch(s.ctx, events.Filter{Actor: events.ActorConductor}, 1)
	require.Equal(s, past[2].Seq, cutoff, "the replay is over with the newest event under the filter")
	for _, e := range wire(past) {
		came := w.next(s)
		came.Payload = nil // the log may have decoded it
		require.Equal(s, e, came)
	}
	s.put(s.build.Event(s, "ada", events.ResumeRequested{}))
	live := s.ready(2)
	require.Equal(s, live[0].ID, w.next(s).ID)
	require.Equal(s, live[1].ID, w.next(s).ID)
}

func testWatchEmpty(s *suite) {
	cutoff, w := s.watch(s.ctx, events.Filter{Session: "s1"}, 1)
	require.Zero(s, cutoff)
	e := s.ready(1)[0]
	require.Equal(s, e.ID, w.next(s).ID)
}

func testWatchFrom(s *suite) {
	past := s.ready(5)
	_, w := s.watch(s.ctx, events.Filter{}, 4)
	require.Equal(s, past[3].ID, w.next(s).ID)
	require.Equal(s, past[4].ID, w.next(s).ID)
	_, future := s.watch(s.ctx, events.Filter{}, 7)
	live := s.ready(2)
	require.Equal(s, live[1].ID, future.next(s).ID, "waits for a future position")
}

func testWatchStops(s *suite) {
	s.ready(1)
	ctx, cancel := context.WithCancel(s.ctx)
	_, w := s.watch(ctx, events.Filter{}, 1)
	w.next(s)
	cancel()
	select {
	case _, more := <-w.events:
		require.False(s, more, "the feed ends")
	case <-s.ctx.Done():
		require.Fail(s, "the feed does not end")
	}
	require.Empty(s, w.errs, "without an error")
}

func testWatchBusy(s *suite) {
	const total = 600
	past := s.ready(50)
	_, w := s.watch(s.ctx, events.Filter{}, 1)
	list := make([]events.Event, total-len(past))
	for i := range list {
		list[i] = s.build.Event(s, events.ActorLead, events.TicketReady{Ticket: "T"})
	}
	failed := make(chan error, 1)
	go func() {
		for _, e := range list {
			if _, err := s.log.Append(s.ctx, e, nil); err != nil {
				failed <- err
				return
			}
		}
	}()
	for i := range total {
		require.Equal(s, uint64(i+1), w.next(s).Seq)
	}
	require.Empty(s, failed)
}
