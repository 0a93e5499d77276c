package live_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
)

func settled(ask string) func(*projections.Set) bool {
	return func(s *projections.Set) bool {
		a, ok := s.Ask(ask)
		return ok && !a.Open()
	}
}

func TestAwaitReturnsWhenTheStateHolds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.opens("S1")
	l := open(t, b.log, live.Options{})
	require.ErrorIs(t, l.Await(patient(t), "S9", settled("A1")), live.ErrNoSession)
	waiting := make(chan struct{})
	released := make(chan error, 1)
	go func() {
		first := true
		released <- l.Await(patient(t), "S1", func(s *projections.Set) bool {
			if first {
				first = false
				close(waiting)
			}
			return settled("A1")(s)
		})
	}()
	<-waiting
	b.say("S1", events.ActorApproval, events.AskRaised{Ask: "A1", Gate: events.GateTool})
	require.Empty(t, released)
	b.say("S1", events.ActorApproval, events.AskSettled{Ask: "A1", Gate: events.GateTool, Outcome: events.Yes, By: "ada"})
	require.NoError(t, <-released)
	require.NoError(t, l.Await(patient(t), "S1", settled("A1")), "it holds already")
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.opens("S1")
	l := open(t, b.log, live.Options{})
	ctx, cancel := context.WithCancel(patient(t))
	err := l.Await(ctx, "S1", func(*projections.Set) bool {
		cancel()
		return false
	})
	require.ErrorIs(t, err, context.Canceled)
	seq := b.say("S1", "ada", events.EventPushed{Kind: "note"})
	require.NoError(t, l.WaitFor(patient(t), seq), "who has gone is not asked again")
}

func TestASubscriberGetsTheReplayAndThenEachEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.record(1, 60)
	b.opens("S2")
	l := open(t, b.log, live.Options{})
	ctx, cancel := context.WithCancel(patient(t))
	defer cancel()
	var got []uint64
	for e, err := range l.Subscribe(ctx, sessiongen.SessionID(1), 11) {
		require.NoError(t, err)
		require.NotNil(t, e.Payload)
		require.Equal(t, sessiongen.SessionID(1), e.Session)
		got = append(got, e.Seq)
		switch len(got) {
		case 50:
			b.say("S2", "ada", events.EventPushed{Kind: "another session's"})
			b.say(sessiongen.SessionID(1), "ada", events.EventPushed{Kind: "live"})
		case 51:
			cancel()
		}
	}
	require.Len(t, got, 51)
	require.EqualValues(t, 11, got[0])
	require.EqualValues(t, 60, got[49])
	require.EqualValues(t, 63, got[50])
}

func TestASubscriberToTheWholeProjectMissesNothingWhileItCatchesUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 300 {
		b.say("S1", "ada", events.EventPushed{Kind: "stored"})
	}
	l := open(t, b.log, live.Options{})
	go func() {
		for i := range 300 {
			b.say([]string{"S1", "S2"}[i%2], "ada", events.EventPushed{Kind: "live"})
		}
	}()
	next := uint64(1)
	for e, err := range l.Subscribe(patient(t), "", 1) {
		require.NoError(t, err)
		require.Equal(t, next, e.Seq, "in order, without a gap, each once")
		if next++; next > 600 {
			break
		}
	}
}

func TestASlowSubscriberIsCutOffAndResumes(t *testing.T) {
	t.Parallel()
	const backlog = 8
	for extra, want := range map[int]error{0: nil, 1: events.ErrSlow} {
		b := newBench(t)
		b.opens("S1")
		l := open(t, b.log, live.Options{Backlog: backlog})
		var last uint64
		var end error
		for e, err := range l.Subscribe(patient(t), "S1", 1) {
			if err != nil {
				end = err
				break
			}
			if last = e.Seq; last == 1 {
				for range backlog + extra {
					require.NoError(t, l.WaitFor(patient(t), b.say("S1", "ada", events.EventPushed{Kind: "n"})))
				}
			}
			if last == backlog+1 {
				break
			}
		}
		require.ErrorIs(t, end, want)
		if want == nil {
			continue
		}
		require.EqualValues(t, 1, last, "the position is the last event it got")
		for e, err := range l.Subscribe(patient(t), "S1", last+1) {
			require.NoError(t, err)
			last++
			require.Equal(t, last, e.Seq)
			if last == backlog+2 {
				break
			}
		}
	}
}

// BenchmarkAwait measures from the application of an event to the release of a
// waiter.
func BenchmarkAwait(b *testing.B) {
	w := newBench(b)
	w.opens("S1")
	l := open(b, w.log, live.Options{})
	var total time.Duration
	for b.Loop() {
		want := l.Position() + 1
		released := make(chan time.Time, 1)
		waiting := make(chan struct{})
		var applied time.Time
		go func() {
			first := true
			err := l.Await(b.Context(), "S1", func(s *projections.Set) bool {
				if first {
					first = false
					close(waiting)
				}
				applied = time.Now()
				return s.Seq() >= want
			})
			if err != nil {
				b.Error(err)
			}
			released <- time.Now()
		}()
		<-waiting
		w.say("S1", "ada", events.EventPushed{Kind: "n"})
		total += (<-released).Sub(applied)
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/release")
}
