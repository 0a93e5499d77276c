package bus_test

import (
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
