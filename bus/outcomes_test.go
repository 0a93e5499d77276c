package bus_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestAWorkerReadsAlthoughAKilledOneOfItsNameStoppedInTheMiddle has the killed one
// leave its consumer behind.
func TestAWorkerReadsAlthoughAKilledOneOfItsNameStoppedInTheMiddle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	killed, next := b.as(t, worker1), b.as(t, worker1)
	for range 2 {
		_, err := killed.Append(b.ctx, b.Event(t, worker1.Name, events.ToolSettled{Call: "c", Tool: "read_file"}), nil)
		require.NoError(t, err)
	}
	pull, stop := iter.Pull2(killed.Read(b.ctx, events.Filter{Project: "p1", Session: "s1", Type: "ToolSettled"}, 1, 0))
	defer stop()
	_, err, ok := pull()
	require.True(t, ok)
	require.NoError(t, err)
	killed.Close()
	got, err := read(t, b.ctx, next, events.Filter{Project: "p1", Session: "s1", Type: "ToolSettled", Topic: "read_file"})
	require.NoError(t, err)
	require.Len(t, got, 2)
}

// TestAWorkerReadsOneFilterRightBehindAnother does it often, because the server
// carries out requests beside one another.
func TestAWorkerReadsOneFilterRightBehindAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as(t, worker1)
	for _, tool := range []string{"read_file", "edit_file"} {
		_, err := w.Append(b.ctx, b.Event(t, worker1.Name, events.ToolSettled{Call: tool, Tool: tool}), nil)
		require.NoError(t, err)
	}
	for range 200 {
		for _, tool := range []string{"read_file", "edit_file"} {
			got, err := read(t, b.ctx, w, events.Filter{Project: "p1", Session: "s1", Type: "ToolSettled", Topic: tool})
			require.NoError(t, err)
			require.Len(t, got, 1)
		}
	}
}

// TestTwoProcessesOfOneWorkerReadEachItsOwn has one make the consumer anew while the
// other one reads: two hosts may have one name.
func TestTwoProcessesOfOneWorkerReadEachItsOwn(t *testing.T) {
	t.Parallel()
	const n = 300 // more than a consumer is asked for at once
	b := setup(t)
	first, second := b.as(t, worker1), b.as(t, worker1)
	of := func(tool string) events.Filter {
		return events.Filter{Project: "p1", Session: "s1", Type: "ToolSettled", Topic: tool}
	}
	var middle uint64 // of the events of the first
	for i := range n {
		for _, tool := range []string{"read_file", "edit_file"} {
			seq, err := first.Append(b.ctx, b.Event(t, worker1.Name, events.ToolSettled{Call: fmt.Sprint(tool, i), Tool: tool}),
				nil)
			require.NoError(t, err)
			if i == n/10 {
				middle = seq
			}
		}
	}
	for _, c := range []struct {
		name string
		f    events.Filter
		from uint64
	}{{"another filter", of("edit_file"), 1}, {"farther on", of("read_file"), middle}} {
		t.Run(c.name, func(t *testing.T) {
			pull, stop := iter.Pull2(first.Read(b.ctx, of("read_file"), 1, 0))
			defer stop()
			_, err, _ := pull()
			require.NoError(t, err)
			other, end := iter.Pull2(second.Read(b.ctx, c.f, c.from, 0))
			defer end()
			_, err, _ = other()
			require.NoError(t, err)
			for i := 1; i < n; i++ {
				e, err, ok := pull()
				require.NoError(t, err)
				require.True(t, ok)
				require.Equal(t, "read_file", e.Topic)
			}
			_, err, ok := pull()
			require.NoError(t, err)
			require.False(t, ok)
		})
	}
}
