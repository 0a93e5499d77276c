package inorder_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/inorder"
)

// numbers gives 0, 1, … and counts how many were drawn.
func numbers(n int, drawn *atomic.Int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			drawn.Add(1)
			if !yield(i) {
				return
			}
		}
	}
}

func TestResultsComeInTheOrderOfTheItems(t *testing.T) {
	t.Parallel()
	var drawn atomic.Int64
	var got []int
	err := inorder.Do(t.Context(), 4, numbers(5_000, &drawn), func(_ context.Context, i int) int {
		for range i * 7 % 13 {
			runtime.Gosched()
		}
		return i
	}, func(i int) error { got = append(got, i); return nil })
	require.NoError(t, err)
	require.Len(t, got, 5_000)
	for i, v := range got {
		require.Equal(t, i, v)
	}
}

func TestASlowConsumerHoldsUpTheItems(t *testing.T) {
	t.Parallel()
	var drawn atomic.Int64
	taken := int64(0)
	err := inorder.Do(t.Context(), 3, numbers(1_000, &drawn), func(_ context.Context, i int) int { return i },
		func(int) error {
			runtime.Gosched()
			require.LessOrEqual(t, drawn.Load()-taken, int64(10))
			taken++
			return nil
		})
	require.NoError(t, err)
}

func TestAnErrorOfTheConsumerEndsEverything(t *testing.T) {
	t.Parallel()
	var drawn, running atomic.Int64
	stop := errors.New("stop")
	err := inorder.Do(t.Context(), 4, numbers(1<<40, &drawn), func(context.Context, int) int {
		running.Add(1)
		defer running.Add(-1)
		return 0
	}, func(int) error {
		if drawn.Load() > 100 {
			return stop
		}
		return nil
	})
	require.ErrorIs(t, err, stop)
	require.Zero(t, running.Load(), "nothing runs any more")
}

func TestACancelledContextEndsEverything(t *testing.T) {
	t.Parallel()
	var drawn atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	err := inorder.Do(ctx, 2, numbers(1<<40, &drawn), func(ctx context.Context, i int) int {
		if i == 50 {
			cancel()
		}
		if i > 50 {
			<-ctx.Done()
		}
		return i
	}, func(int) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, drawn.Load(), int64(100))
}

func TestNoItemsAreDoneAtOnce(t *testing.T) {
	t.Parallel()
	var drawn atomic.Int64
	require.NoError(t, inorder.Do(t.Context(), 0, numbers(0, &drawn), func(context.Context, int) int { return 0 },
		func(int) error { return nil }))
}

func TestPanicsReachTheCaller(t *testing.T) {
	t.Parallel()
	var drawn atomic.Int64
	require.PanicsWithValue(t, "work", func() {
		_ = inorder.Do(t.Context(), 2, numbers(100, &drawn), func(_ context.Context, i int) int {
			if i == 7 {
				panic("work")
			}
			return i
		}, func(int) error { return nil })
	})
	require.PanicsWithValue(t, "items", func() {
		_ = inorder.Do(t.Context(), 2, func(yield func(int) bool) { yield(1); panic("items") },
			func(_ context.Context, i int) int { return i }, func(int) error { return nil })
	})
}
