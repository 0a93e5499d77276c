package runtime

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// readings is a log that notes from where it is read.
type readings struct {
	memory
	from []uint64
}

func (r *readings) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	r.from = append(r.from, from)
	return r.memory.Read(ctx, f, from, to)
}

// settle appends outcomes of calls and returns the sequence of the last one.
func settle(t *testing.T, log OwnLog, b *eventstest.Builder, calls ...string) (seq uint64) {
	t.Helper()
	for _, call := range calls {
		var err error
		e := b.Event(t, "worker-h-1", events.ToolSettled{Call: call, Tool: "t", Generation: 1})
		seq, err = log.Append(t.Context(), e, nil)
		require.NoError(t, err)
	}
	return seq
}

func TestCallsShareReadsOfTheLog(t *testing.T) {
	t.Parallel()
	log := &readings{memory: memory{eventstest.NewMemory()}}
	b := &eventstest.Builder{Project: "p1", Session: "S1"}
	f := events.Filter{Project: "p1", Session: "S1", Type: "ToolSettled", Topic: "t"}
	var q findings
	has := func(after uint64, call string, generation int) bool {
		found, err := q.has(t.Context(), log, f, mark{after, "call " + call, generation})
		require.NoError(t, err)
		return found
	}
	first := settle(t, log, b, "a")
	require.False(t, has(first, "b", 1))
	require.Empty(t, log.from, "nothing is newer than the request")
	last := settle(t, log, b, "b", "c")
	require.True(t, has(first, "b", 1))
	require.False(t, has(first, "b", 2), "an outcome of an earlier generation")
	require.True(t, has(first, "c", 1))
	require.False(t, has(last-1, "b", 1), "an outcome before the request")
	require.Equal(t, []uint64{first + 1}, log.from)
	settle(t, log, b, "d")
	require.True(t, has(first, "d", 1))
	require.Equal(t, []uint64{first + 1, last + 1}, log.from, "only what is new is read")
	require.True(t, has(first-1, "a", 1))
	require.Equal(t, []uint64{first + 1, last + 1, first}, log.from, "an older request reads from its own position")
}

func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	log := memory{eventstest.NewMemory()}
	b := &eventstest.Builder{Project: "p1", Session: "S1"}
	calls := make([]string, maxSpan+1)
	for i := range calls {
		calls[i] = fmt.Sprint("c", i)
	}
	settle(t, log, b, calls[:maxSpan]...)
	f := events.Filter{Project: "p1", Session: "S1", Type: "ToolSettled", Topic: "t"}
	var q findings
	has := func(call string) {
		found, err := q.has(t.Context(), log, f, mark{0, "call " + call, 1})
		require.NoError(t, err)
		require.True(t, found)
	}
	has("c0")
	require.Len(t, q.spans[f].marks, maxSpan)
	settle(t, log, b, calls[maxSpan])
	has("c0")
	require.Len(t, q.spans[f].marks, maxSpan/2+1)
	has("c0") // read again
	for i := range maxSpans {
		f.Session = fmt.Sprint("S", i+2)
		b.Session = f.Session
		settle(t, log, b, "x")
		has("x")
		require.LessOrEqual(t, len(q.spans), maxSpans)
	}
	require.Len(t, q.spans, 1, "beyond the limit all were forgotten")
}
