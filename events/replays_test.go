package events_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// heldLog counts the reads that are under way.
type heldLog struct {
	events.Log
	open, most atomic.Int32
	broken     error // yielded in the place of the first event
}

// Read is the log's, counted.
func (l *heldLog) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		now := l.open.Add(1)
		defer l.open.Add(-1)
		for most := l.most.Load(); now > most && !l.most.CompareAndSwap(most, now); most = l.most.Load() {
		}
		if l.broken != nil {
			yield(events.Event{}, l.broken)
			return
		}
		l.Log.Read(ctx, f, from, to)(yield)
	}
}

func filled(t *testing.T, n, size int) *heldLog {
	t.Helper()
	log := &heldLog{Log: eventstest.NewMemory()}
	for i := range n {
		e, err := events.New(events.Origin{ID: fmt.Sprintf("01J%05d", i), Time: time.Unix(0, 0), Project: "p", Session: "s" +
			fmt.Sprint(i%2), Actor: "ada"}, events.GoalSubmitted{Goal: strings.Repeat("x", size)})
		require.NoError(t, err)
		_, err = log.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	return log
}

func TestAReplayYieldsWhatTheLogHasAndHoldsNothingOfItMeanwhile(t *testing.T) {
	t.Parallel()
	for name, log := range map[string]*heldLog{"many": filled(t, 1200, 1), "large": filled(t, 12, 100<<10),
		"one": filled(t, 1, 1), "none": filled(t, 0, 1)} {
		for _, to := range []uint64{0, 1, 7, 511, 512, 513, 5000} {
			for _, f := range []events.Filter{{Project: "p"}, {Project: "p", Session: "s1"}, {Project: "other"}} {
				var want, got []uint64
				for e, err := range log.Log.Read(t.Context(), f, 3, to) {
					require.NoError(t, err)
					want = append(want, e.Seq)
				}
				for e, err := range events.NewReplays(log, 1).Read(t.Context(), f, 3, to) {
					require.NoError(t, err)
					require.Zero(t, log.open.Load(), "%s: the log is held while a reader takes its time", name)
					got = append(got, e.Seq)
				}
				require.Equal(t, want, got, "%s to %d", name, to)
			}
		}
	}
}

func TestAReplayEndsWithItsReaderItsContextAndTheLogsError(t *testing.T) {
	t.Parallel()
	log := filled(t, 600, 1)
	replays := events.NewReplays(log, 1)
	seen := 0
	for range replays.Read(t.Context(), events.Filter{Project: "p"}, 1, 0) {
		if seen++; seen == 300 {
			break
		}
	}
	require.Equal(t, 300, seen)
	log.broken = errors.New("away")
	for _, err := range replays.Read(t.Context(), events.Filter{Project: "p"}, 1, 600) {
		require.ErrorIs(t, err, log.broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	full := events.NewReplays(log, 0)
	for _, err := range full.Read(ctx, events.Filter{Project: "p"}, 1, 600) {
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestReplaysTakeTurns(t *testing.T) {
	t.Parallel()
	log := filled(t, 600, 1)
	replays := events.NewReplays(log, 2)
	done := make(chan struct{})
	for range 16 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range replays.Read(t.Context(), events.Filter{Project: "p"}, 1, 0) {
			}
		}()
	}
	for range 16 {
		<-done
	}
	require.LessOrEqual(t, log.most.Load(), int32(2))
}
