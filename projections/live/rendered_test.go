package live_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
)

// counted renders a model and counts how often.
func counted(name string) (live.Rendering, *atomic.Int64) {
	n := &atomic.Int64{}
	return live.Rendering{Name: name, Models: []string{name}, Render: func(s *projections.Set) ([]byte, error) {
		n.Add(1)
		return s.View(name)
	}}, n
}

func TestAViewIsRenderedOnceForEachChangeHoweverManyAsk(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{})
	require.NoError(t, l.WaitFor(patient(t), b.opens("S1")))
	v, _ := l.Session("S1")
	shown, n := counted("mma_status")
	for change := range 20 {
		seq := b.say("S1", "ada", events.GoalSubmitted{Goal: fmt.Sprint(change)})
		require.NoError(t, l.WaitFor(patient(t), seq))
		require.EqualValues(t, change, n.Load(), "nothing is rendered while nobody asks")
		var readers sync.WaitGroup
		for range 64 {
			readers.Go(func() {
				_, err := v.Rendered(t.Context(), shown)
				require.NoError(t, err)
			})
		}
		readers.Wait()
		require.EqualValues(t, change+1, n.Load())
	}
}

func TestAViewKeepsItsBytesWhenAnotherModelChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{})
	require.NoError(t, l.WaitFor(patient(t), b.opens("S1")))
	v, _ := l.Session("S1")
	status, n := counted("mma_status")
	queue, pushes := counted("events")
	for range 10 {
		require.NoError(t, l.WaitFor(patient(t), b.say("S1", "ada", events.EventPushed{Kind: "note"})))
		for _, r := range []live.Rendering{status, queue} {
			_, err := v.Rendered(t.Context(), r)
			require.NoError(t, err)
		}
	}
	require.EqualValues(t, 1, n.Load())
	require.EqualValues(t, 10, pushes.Load())
}

func TestWhatARenderedViewShowsIsNeverOlderThanTheRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{Folded: 1})
	require.NoError(t, l.WaitFor(patient(t), b.opens("S1")))
	v, _ := l.Session("S1")
	shown, _ := counted("session")
	var group sync.WaitGroup
	for i := range 60 {
		seq := b.say("S1", "ada", events.GoalSubmitted{Goal: fmt.Sprintf("goal %d!", i)})
		if i%10 == 5 {
			b.opens(fmt.Sprintf("other-%d", i)) // which unfolds S1
		}
		require.NoError(t, l.WaitFor(patient(t), seq))
		for range 4 {
			group.Go(func() {
				body, err := v.Rendered(t.Context(), shown)
				require.NoError(t, err)
				require.Contains(t, string(body), fmt.Sprintf("goal %d!", i))
			})
		}
	}
	group.Wait()
}

func TestRenderingsOfAnotherVariantReplaceEachOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{})
	require.NoError(t, l.WaitFor(patient(t), b.opens("S1")))
	v, _ := l.Session("S1")
	n := 0
	for _, variant := range []string{"a", "a", "b", "b", "a"} {
		body, err := v.Rendered(t.Context(), live.Rendering{Name: "x", Variant: variant,
			Render: func(*projections.Set) ([]byte, error) {
				n++
				return []byte(variant), nil
			}})
		require.NoError(t, err)
		require.Equal(t, variant, string(body))
	}
	require.Equal(t, 3, n)
}

func TestARenderingThatFailsIsNotKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{})
	require.NoError(t, l.WaitFor(patient(t), b.opens("S1")))
	v, _ := l.Session("S1")
	broken := errors.New("broken")
	for _, want := range []error{broken, nil} {
		_, err := v.Rendered(t.Context(), live.Rendering{Name: "x", Render: func(*projections.Set) ([]byte, error) {
			return nil, want
		}})
		require.ErrorIs(t, err, want)
	}
}

func TestRenderingsBeyondTheLimitAreMadeForEachReader(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l := open(t, b.log, live.Options{})
	require.NoError(t, l.WaitFor(patient(t), b.opens("S1")))
	v, _ := l.Session("S1")
	n := 0
	for range 2 {
		for i := range live.MaxRenderings + 1 {
			body, err := v.Rendered(t.Context(), live.Rendering{Name: fmt.Sprint(i), Render: func(*projections.Set) ([]byte,
				error) {
				n++
				return fmt.Append(nil, i), nil
			}})
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(i), string(body))
		}
	}
	require.Equal(t, live.MaxRenderings+2, n)
}
