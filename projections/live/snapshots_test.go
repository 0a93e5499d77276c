package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/sessiongen"
)

// watched records a session while it is kept current, closes, and returns what
// its models were.
func watched(t *testing.T, b *bench, s *store, length int) map[string]string {
	t.Helper()
	l, err := live.Open(patient(t), b.log, project, live.Options{Snapshots: s})
	require.NoError(t, err)
	want := b.record(1, length)
	require.NoError(t, l.WaitFor(patient(t), uint64(length)))
	require.NoError(t, l.Close())
	return want
}

func TestASnapshotSparesReadingTheSession(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), newStore()
	want := watched(t, b, s, 300)
	require.Len(t, s.kept, 2, "one of the session, one of the summaries")
	log := &counting{Log: b.log}
	l := open(t, log, live.Options{Snapshots: s})
	require.LessOrEqual(t, log.read.Load(), int64(1), "the summaries came from the index")
	require.Equal(t, projections.Done, l.Sessions()[0].State)
	require.Equal(t, want, digest(t, l, sessiongen.SessionID(1)))
	require.LessOrEqual(t, log.read.Load(), int64(3))
	last := b.say(sessiongen.SessionID(1), "ada", events.GoalSubmitted{Goal: "more"})
	require.NoError(t, l.WaitFor(patient(t), last))
	require.NotEqual(t, want, digest(t, l, sessiongen.SessionID(1)))
	require.Equal(t, "more", l.Sessions()[0].Goal)
}

func TestAWrongSnapshotIsDiscarded(t *testing.T) {
	t.Parallel()
	spoil := map[string]func(s *store, key string){
		"another version": func(s *store, key string) {
			s.change(t, key, func(v map[string]any) {
				for _, m := range v["models"].([]any) {
					m.(map[string]any)["version"] = 99
				}
			})
		},
		"another log":  func(s *store, key string) { s.change(t, key, func(v map[string]any) { v["last_id"] = "other" }) },
		"a later log":  func(s *store, key string) { s.change(t, key, func(v map[string]any) { v["seq"] = 9_999 }) },
		"no position":  func(s *store, key string) { s.change(t, key, func(v map[string]any) { v["seq"] = 0 }) },
		"nothing":      func(s *store, key string) { delete(s.kept, key) },
		"damaged text": func(s *store, key string) { s.kept[key] = []byte(`{"seq":`) },
	}
	for name, f := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, s := newBench(t), newStore()
			want := watched(t, b, s, 300)
			f(s, "folds."+project+"."+sessiongen.SessionID(1))
			if name != "another version" {
				f(s, "folds."+project+".-index")
			}
			log := &counting{Log: b.log}
			l := open(t, log, live.Options{Snapshots: s})
			require.Equal(t, want, digest(t, l, sessiongen.SessionID(1)))
			require.GreaterOrEqual(t, log.read.Load(), int64(300), "it was folded from its beginning")
		})
	}
}

func (s *store) change(t *testing.T, key string, f func(map[string]any)) {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal(s.kept[key], &v))
	f(v)
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	s.kept[key] = raw
}

func TestAStoreThatRefusesSnapshotsChangesNothing(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), newStore()
	s.full = true
	watched(t, b, s, 300)
	require.Empty(t, s.kept)
}

func TestLongSessionsAreStoredNowAndThen(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), newStore()
	b.opens("S0")
	l := open(t, b.log, live.Options{Snapshots: s, SnapshotEvery: 10})
	seq := b.opens("S1")
	for range 30 {
		seq = b.say("S1", "ada", events.EventPushed{Kind: "n"})
	}
	require.NoError(t, l.WaitFor(patient(t), seq))
	require.Eventually(t, func() bool {
		var snap projections.Snapshot
		return s.Snapshot(t.Context(), "folds."+project+".S1", &snap) == nil && snap.Seq > 10
	}, eventstest.Patience, time.Millisecond)
}

// TestStoringASessionIsLinearWork has each event wait until what was stored for
// the one before is.
func TestStoringASessionIsLinearWork(t *testing.T) {
	t.Parallel()
	const every, length = 10, 1000
	b, s := newBench(t), newStore()
	b.opens("S0")
	l := open(t, b.log, live.Options{Snapshots: s, SnapshotEvery: every})
	b.opens("S1")
	stored, next := 0, every
	for n := 2; n <= length; n++ {
		seq := b.say("S1", "ada", events.EventPushed{Kind: "n"})
		require.NoError(t, l.WaitFor(patient(t), seq))
		if n == next {
			s.until(t, "folds."+project+".S1", seq)
			stored, next = stored+1, 2*next
		}
	}
	require.Equal(t, stored, s.puts("folds."+project+".S1"), "each time when it had twice as many events")
}

func TestASessionThatNobodyLookedAtIsStoredWhenItCloses(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), newStore()
	b.opens("S1")
	b.say("S1", "ada", events.GoalSubmitted{Goal: "Mend the parser"})
	l := open(t, b.log, live.Options{Snapshots: s})
	seq := b.say("S1", "ada", events.SessionClosed{Reason: "done"})
	require.NoError(t, l.WaitFor(patient(t), seq))
	s.until(t, "folds."+project+".S1", seq)
	log := &counting{Log: b.log}
	require.NotEmpty(t, digest(t, open(t, log, live.Options{Snapshots: s}), "S1"))
	require.LessOrEqual(t, log.read.Load(), int64(3+1), "three for the summaries, and the one that the snapshot names")
}

func TestALookThatReadMuchIsStored(t *testing.T) {
	t.Parallel()
	const length = 300
	for most, stored := range map[int]bool{length: true, length + 1: false} {
		b, s := newBench(t), newStore()
		b.record(1, length)
		l, err := live.Open(patient(t), b.log, project, live.Options{Snapshots: s, SnapshotEvery: most})
		require.NoError(t, err)
		digest(t, l, sessiongen.SessionID(1))
		if stored {
			s.until(t, "folds."+project+"."+sessiongen.SessionID(1), length)
		} else {
			require.Zero(t, s.puts("folds."+project+"."+sessiongen.SessionID(1)))
		}
		require.NoError(t, l.Close())
	}
}

func TestStartAfterAKillReadsNoMoreThanTheDistanceOfTheIndex(t *testing.T) {
	t.Parallel()
	const distance = 250
	b, s := newBench(t), newStore()
	l := open(t, b.log, live.Options{Snapshots: s, IndexEvery: distance}) // never closed before the second one
	var seq uint64
	for n := range 3*distance + 1 {
		seq = b.say(fmt.Sprintf("S%d", n%7), "ada", events.EventPushed{Kind: "n"})
		require.NoError(t, l.WaitFor(patient(t), seq))
		if (n+1)%distance == 0 {
			s.until(t, "folds."+project+".-index", seq)
		}
	}
	log := &counting{Log: b.log}
	next := open(t, log, live.Options{Snapshots: s, IndexEvery: distance})
	require.LessOrEqual(t, log.read.Load(), int64(2), "one event behind the index, and the one at its position")
	require.Equal(t, l.Sessions(), next.Sessions())
}

// until waits for the snapshot at a sequence.
func (s *store) until(t *testing.T, key string, seq uint64) {
	t.Helper()
	require.Eventually(t, func() bool {
		var snap projections.Snapshot
		return s.Snapshot(t.Context(), key, &snap) == nil && snap.Seq == seq
	}, eventstest.Patience, time.Millisecond)
}

// away is a store that answers nobody, as a bus that is gone.
type away struct{}

func (away) PutSnapshot(ctx context.Context, _ string, _ any) error { <-ctx.Done(); return ctx.Err() }

func (away) Snapshot(context.Context, string, any) error { return errNone }

func TestAStoreThatIsAwayDoesNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	log := eventstest.NewMemory()
	for _, e := range sessiongen.GenerateSession(1, 300) {
		e.Payload = nil
		_, err := log.Append(patient(t), e, nil)
		require.NoError(t, err)
	}
	l, err := live.Open(patient(t), log, project, live.Options{Snapshots: away{}, SaveWait: time.Millisecond})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- l.Close() }()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-patient(t).Done():
		t.Fatal("it waits for ever")
	}
}
