package projections_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// pushes appends so many entries with a payload of a size.
func (s *story) pushes(count, size int) {
	s.t.Helper()
	payload := json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)
	for range count {
		s.log = append(s.log, events.Event{})
		n := uint64(len(s.log))
		s.set.Apply(&events.Event{ID: "E" + itoa(int(n)), Seq: n, Time: at(n), Payload: events.EventPushed{Kind: "t",
			Payload: payload}})
	}
}

// drains records what a client drained up to now, as the gateway does.
func (s *story) drains(client string) {
	s.t.Helper()
	found := s.set.Queue(client)
	s.by(events.ActorGateway, events.EventsDrained{Client: client, Through: found[len(found)-1].Seq})
}

// overflow is the note at the beginning of a queue.
func overflow(t *testing.T, queue []projections.QueueEntry) projections.QueueFields {
	t.Helper()
	require.Equal(t, projections.QueueOverflow, queue[0].Type)
	require.Equal(t, queue[0].Fields.Through, queue[0].Seq, "a client that takes it has passed it")
	return *queue[0].Fields
}

func TestTheQueueKeepsSoManyEntriesAndSaysWhatIsGone(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.pushes(3, 2)
	s.drains("a")
	s.pushes(projections.MaxQueueEntries-3, 2)
	require.NotEqual(t, projections.QueueOverflow, s.set.Queue("")[0].Type, "the bound itself fits")
	require.Len(t, s.set.Queue(""), projections.MaxQueueEntries)
	s.pushes(1, 2)
	require.Equal(t, projections.QueueFields{Dropped: 1, From: 1, Through: 1}, overflow(t, s.set.Queue("")))
	require.Len(t, s.set.Queue(""), projections.MaxQueueEntries+1)
	require.NotEqual(t, projections.QueueOverflow, s.set.Queue("a")[0].Type, "it had what is gone")

	s.pushes(9, 2)
	require.Equal(t, projections.QueueFields{Dropped: 7, From: 4, Through: 11}, overflow(t, s.set.Queue("a")),
		"one of the sequences was the drain")
	require.Equal(t, projections.QueueFields{Dropped: 10, From: 1, Through: 11}, overflow(t, s.set.Queue("")))
	require.Equal(t, projections.QueueFields{Dropped: 10, From: 1, Through: 11}, overflow(t, s.set.QueueSince(0)))
	require.Equal(t, 7, overflow(t, s.set.QueueSince(3)).Dropped, "a place where a client is")
	require.Equal(t, 7, overflow(t, s.set.QueueSince(6)).Dropped, "at most")
	require.EqualValues(t, 12, s.set.QueueSince(11)[0].Seq)

	s.drains("a")
	require.Empty(t, s.set.Queue("a"), "it was told once")
	s.pushes(projections.MaxQueueEntries+5, 2)
	require.Equal(t, 5, overflow(t, s.set.Queue("a")).Dropped)
}

func TestTheQueueKeepsSoManyBytes(t *testing.T) {
	t.Parallel()
	s := tell(t)
	const large = 1 << 20
	s.pushes(projections.MaxQueueBytes/large-1, large)
	s.pushes(1, large-projections.MaxQueueBytes/large) // beside the names of the kinds
	require.Len(t, s.set.Queue(""), projections.MaxQueueBytes/large)
	s.pushes(1, 2)
	require.Equal(t, 1, overflow(t, s.set.Queue("")).Dropped)
	s.pushes(1, 2*projections.MaxQueueBytes)
	require.Len(t, s.set.Queue(""), 2, "the newest is kept always")
}

func TestABoundedQueueIsTheSameThroughASnapshot(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.pushes(projections.MaxQueueEntries+5, 2)
	s.drains("a")
	snap, err := s.set.Snapshot()
	require.NoError(t, err)
	raw, err := json.Marshal(snap)
	require.NoError(t, err)
	var stored projections.Snapshot
	require.NoError(t, json.Unmarshal(raw, &stored))
	again := projections.NewSet()
	require.NoError(t, again.Restore(stored))
	for _, set := range []*projections.Set{s.set, again} {
		s.set = set
		require.Equal(t, 5, overflow(t, set.Queue("")).Dropped)
		require.Empty(t, set.Queue("a"))
		count, known := set.QueueClients("a")
		require.Equal(t, 1, count)
		require.True(t, known)
	}
	require.Equal(t, s.set.Digest(), again.Digest())
}
