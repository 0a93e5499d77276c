package runtime_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// full is a store that takes nothing at first.
type full struct {
	events.Blobs
	refused atomic.Bool
}

func (f *full) Put(ctx context.Context, b []byte, mediaType string) (events.BlobRef, error) {
	if string(b) == "one\n" && f.refused.CompareAndSwap(false, true) {
		return events.BlobRef{}, errors.New("no space left")
	}
	return f.Blobs.Put(ctx, b, mediaType)
}

func TestAContentThatCouldNotBeStoredIsStoredBeforeItChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.open(nil)
	w.say(events.RuleAdded{Rule: events.Rule{Tool: "*_file", Action: "allow", Source: "test"}})
	w.startWithoutWorker(`{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"title\":\"One\",\"description\":\"Do it\"}]"}}
{"tier":2,"reply":{"text":"[{\"id\":\"T-001\",\"description\":\"Edit\",\"depends_on\":[]}]"}}
{"tier":3,"reply":{"text":"I read.","tool_calls":[{"name":"read_file","args":{"path":"a.txt"}}]}}
{"tier":3,"reply":{"text":"I edit.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}
{"tier":3,"reply":{"text":"DONE: done"}}`)
	worker := w.worker("worker-test-1")
	blobs := &full{Blobs: worker.Blobs}
	worker.Blobs = blobs
	w.run(worker)
	w.say(events.GoalSubmitted{Goal: "g"})
	w.until(isType("TicketCompleted"))
	require.True(t, blobs.refused.Load())
	before, err := w.connect(bus.Role{Kind: bus.Worker, Name: "worker-test-2"}).Get(t.Context(),
		events.Digest([]byte("one\n")))
	require.NoError(t, err, "an undo needs it")
	require.Equal(t, "one\n", string(before))
}
