package events_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// watchCounter counts the watches of a log and what they yield.
type watchCounter struct {
	events.Log
	watches, yielded atomic.Int64
}

func (l *watchCounter) Watch(ctx context.Context, f events.Filter, from uint64) (uint64, iter.Seq2[events.Event, error],
	error) {
	cutoff, feed, err := l.Log.Watch(ctx, f, from)
	l.watches.Add(1)
	return cutoff, func(yield func(events.Event, error) bool) {
		for e, err := range feed {
			l.yielded.Add(1)
			if !yield(e, err) {
				return
			}
		}
	}, err
}

func appended(t *testing.T, b *eventstest.Builder, log events.Log, goal string) events.Event {
	t.Helper()
	e := b.Event(t, "ada", events.GoalSubmitted{Goal: goal})
	seq, err := log.Append(t.Context(), e, nil)
	require.NoError(t, err)
	e.Seq = seq
	return e
}

func TestManyWatchersReadEachEventOnce(t *testing.T) {
	t.Parallel()
	b := &eventstest.Builder{Project: "p1", Session: "s1"}
	below := &watchCounter{Log: eventstest.NewMemory()}
	shared := events.NewShared(below, events.Catalogue(), "p1")
	appended(t, b, shared, "before")
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan events.Event)
	for i := range 5 {
		f := events.Filter{Project: "p1"}
		if i == 4 {
			f.Type = "GoalSubmitted"
		}
		_, feed, err := shared.Watch(ctx, f, 1)
		require.NoError(t, err)
		go func() {
			for e := range feed {
				got <- e
			}
		}()
	}
	for range 5 {
		require.EqualValues(t, 1, (<-got).Seq)
	}
	for n := range 10 {
		want := appended(t, b, shared, fmt.Sprint(n))
		for range 5 {
			e := <-got
			require.Equal(t, want.Seq, e.Seq)
			require.IsType(t, events.GoalSubmitted{}, e.Payload)
		}
	}
	require.EqualValues(t, 1, below.watches.Load())
	require.EqualValues(t, 10, below.yielded.Load())
	cancel()
	_, feed, err := shared.Watch(t.Context(), events.Filter{Project: "p1"}, 12)
	require.NoError(t, err)
	appended(t, b, shared, "anew")
	for e, err := range feed {
		require.NoError(t, err)
		require.EqualValues(t, 12, e.Seq)
		break
	}
}

// silent is a log that answers nobody.
type silent struct {
	events.Log
	asked chan struct{}
}

func (l silent) Last(ctx context.Context, _ events.Filter) (uint64, error) {
	l.asked <- struct{}{}
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestAWatchEndsWithItsContextWhileAnotherOneWaitsForTheLog(t *testing.T) {
	t.Parallel()
	below := silent{asked: make(chan struct{}, 1)}
	shared := events.NewShared(below, events.Catalogue(), "p1")
	watch := func(ctx context.Context) error {
		_, _, err := shared.Watch(ctx, events.Filter{Project: "p1"}, 1)
		return err
	}
	go func() { _ = watch(t.Context()) }()
	<-below.asked
	over, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan error, 1)
	go func() { ended <- watch(over) }()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(eventstest.Patience):
		require.FailNow(t, "it waits for the other one")
	}
}

// waited counts the functions that wait for the end of a context.
type waited struct {
	context.Context
	functions *atomic.Int64
}

// Value hides the context below, so that others ask AfterFunc.
func (waited) Value(any) any { return nil }

func (w waited) AfterFunc(f func()) func() bool {
	w.functions.Add(1)
	stop := context.AfterFunc(w.Context, f)
	return func() bool {
		stopped := stop()
		if stopped {
			w.functions.Add(-1)
		}
		return stopped
	}
}

func TestAWatchThatIsOverLeavesNothingInItsContext(t *testing.T) {
	t.Parallel()
	b := &eventstest.Builder{Project: "p1", Session: "s1"}
	shared := events.NewShared(eventstest.NewMemory(), events.Catalogue(), "p1")
	appended(t, b, shared, "one")
	ctx := waited{t.Context(), &atomic.Int64{}}
	for range 3 {
		_, feed, err := shared.Watch(ctx, events.Filter{Project: "p1"}, 1)
		require.NoError(t, err)
		for _, err := range feed {
			require.NoError(t, err)
			break
		}
	}
	require.Zero(t, ctx.functions.Load())
}

func TestAWatcherTooFarBehindIsCutOffAndTheOthersAreNot(t *testing.T) {
	t.Parallel()
	b := &eventstest.Builder{Project: "p1", Session: "s1"}
	shared := events.NewShared(eventstest.NewMemory(), events.Catalogue(), "p1")
	_, slow, err := shared.Watch(t.Context(), events.Filter{Project: "p1"}, 1)
	require.NoError(t, err)
	_, quick, err := shared.Watch(t.Context(), events.Filter{Project: "p1"}, 1)
	require.NoError(t, err)
	const all = 4097
	go func() {
		for n := range all {
			appended(t, b, shared, fmt.Sprint(n))
		}
	}()
	n := 0
	for _, err := range quick {
		require.NoError(t, err)
		if n++; n == all {
			break
		}
	}
	var last error
	for _, err := range slow {
		last = err
	}
	require.ErrorIs(t, last, events.ErrSlow)
}
