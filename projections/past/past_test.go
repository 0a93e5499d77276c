package past

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/projectionstest"
	"manualslop/projections/sessiongen"
)

// log is a log in memory that counts what is read of it.
type log struct {
	sessions map[string][]events.Event
	read     int
}

func newLog(length int, sessions ...string) *log {
	l := &log{sessions: map[string][]events.Event{}}
	for i, name := range sessions {
		for n, e := range sessiongen.GenerateSession(uint64(i+1), length) {
			e.Seq = uint64(n*len(sessions) + i + 1) // as if they ran at the same time
			l.sessions[name] = append(l.sessions[name], e)
		}
	}
	return l
}

func (l *log) Read(ctx context.Context, session string, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for _, e := range l.sessions[session] {
			if ctx.Err() != nil {
				yield(events.Event{}, ctx.Err())
				return
			}
			if e.Seq >= from && e.Seq <= to {
				l.read++
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// sum reads the digest of a session at a position, and returns how many events that read.
func (l *log) sum(t testing.TB, p *Folds, session string, at uint64) (sum string, read int) {
	t.Helper()
	before := l.read
	require.NoError(t, p.At(t.Context(), session, at, func(s *projections.Set) error {
		sum = s.Sum()
		return nil
	}))
	return sum, l.read - before
}

func TestASessionAtAPositionIsItsFoldUpToThere(t *testing.T) {
	t.Parallel()
	l := newLog(6*step, "a", "b")
	p := New(l.Read, projections.Watched())
	random := rand.New(rand.NewPCG(1, 2))
	at := map[string]uint64{"a": 0, "b": 9 * step}
	for range 60 {
		name := []string{"a", "b"}[random.IntN(2)]
		switch random.IntN(4) {
		case 0:
			at[name] = random.Uint64N(12 * step)
		case 1:
			at[name] += random.Uint64N(10)
		default:
			at[name] -= min(at[name], random.Uint64N(10))
		}
		want := projections.NewSetOf(projections.Watched())
		for _, e := range l.sessions[name] {
			if e.Seq <= at[name] {
				want.Apply(&e)
			}
		}
		got, _ := l.sum(t, p, name, at[name])
		require.Equal(t, want.Sum(), got, "%s at %d", name, at[name])
	}
}

func TestStepsOfReadersAtDifferentPositionsReadFewEvents(t *testing.T) {
	t.Parallel()
	const length = 3 * spacing
	l := newLog(length, "a")
	p := New(l.Read, projections.Watched())
	_, read := l.sum(t, p, "a", length)
	require.Equal(t, length, read)
	_, read = l.sum(t, p, "a", spacing+step/2)
	require.Less(t, read, step, "a state on the way was left")
	for back := uint64(1); back < 20; back++ {
		_, read = l.sum(t, p, "a", length-back)
		require.LessOrEqual(t, read, step)
		_, read = l.sum(t, p, "a", spacing+step/2+back)
		require.Equal(t, 1, read, "the other reader steps on in a fold of its own")
		_, read = l.sum(t, p, "a", length-back)
		require.Zero(t, read, "a page reads several views of a position")
	}
}

func TestOnlyTheNewestFoldsAreKept(t *testing.T) {
	t.Parallel()
	l := newLog(40, "a", "b", "c", "d")
	p := New(l.Read, projections.Watched())
	for _, name := range []string{"a", "b", "c"} {
		l.sum(t, p, name, 160)
	}
	_, read := l.sum(t, p, "a", 160)
	require.Zero(t, read)
	l.sum(t, p, "d", 160) // instead of b, used longest ago
	require.Len(t, p.folds, maxFolds)
	_, read = l.sum(t, p, "a", 160)
	require.Zero(t, read)
	_, read = l.sum(t, p, "b", 160)
	require.Equal(t, 40, read)
}

func TestStatesHaveALimitOfBytesTogether(t *testing.T) {
	t.Parallel()
	l := newLog(4*step, "a", "b")
	p := New(l.Read, projections.Watched())
	l.sum(t, p, "a", 8*step)
	l.sum(t, p, "b", 8*step)
	require.Len(t, p.states, 2)
	both := p.states[0].size() + p.states[1].size()

	for room, want := range map[int][]string{both: {"a", "b"}, both - 1: {"b"}, 1: {}} {
		p := New(l.Read, projections.Watched())
		p.room = room
		l.sum(t, p, "a", 8*step)
		l.sum(t, p, "b", 8*step)
		kept := []string{}
		for _, s := range p.states {
			kept = append(kept, s.session)
		}
		require.Equal(t, want, kept, room)
		l.sum(t, p, "a", 8*step-1)
	}
}

func TestAReaderThatLeavesAndAModelThatStopsLeaveTheRest(t *testing.T) {
	t.Parallel()
	l := newLog(3*step, "a")
	p := New(l.Read, projections.Watched())
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.ErrorIs(t, p.At(gone, "a", 5, nil), context.Canceled)
	_, read := l.sum(t, p, "a", 5)
	require.Equal(t, 5, read)
	own := errors.New("own")
	require.ErrorIs(t, p.At(t.Context(), "a", 5, func(*projections.Set) error { return own }), own)

	broken := New(l.Read, projectionstest.Breaking("summary", projectionstest.On("SessionOpened")))
	var stopped *projections.StoppedError
	require.ErrorAs(t, broken.At(t.Context(), "a", 3*step, func(s *projections.Set) error {
		_ = s.Summary()
		return nil
	}), &stopped)
	require.Empty(t, broken.states, "a fold with a stopped model leaves no state")
}

// BenchmarkStepBack steps back by one event in a session of 100,000.
func BenchmarkStepBack(b *testing.B) {
	l := newLog(100_000, "a")
	p := New(l.Read, projections.Watched())
	show := func(at uint64) {
		if err := p.At(b.Context(), "a", at, func(*projections.Set) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	show(100_000)
	at := uint64(100_000)
	for b.Loop() {
		if at--; at < 99_100 {
			at = 99_999
		}
		show(at)
	}
	size := 0
	for _, s := range p.states {
		size += s.size()
	}
	b.ReportMetric(float64(len(p.states)), "states")
	b.ReportMetric(float64(size>>20), "MiB")
}
