package eventstest_test

import (
	"context"
	"iter"
	"testing"

	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestMemoryIsALog(t *testing.T) {
	eventstest.TestLog(t, func(testing.TB) events.Log { return eventstest.NewMemory() })
}

func TestMemoryIsABlobStore(t *testing.T) {
	eventstest.TestBlobs(t, func(testing.TB) events.Blobs { return eventstest.NewMemory() })
}

// sharedMemory is a shared log in memory.
type sharedMemory struct {
	*events.Shared
	*eventstest.Memory
}

func (s sharedMemory) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	return s.Shared.Append(ctx, e, x)
}

func (s sharedMemory) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return s.Shared.Read(ctx, f, from, to)
}

func (s sharedMemory) Watch(ctx context.Context, f events.Filter, from uint64) (uint64, iter.Seq2[events.Event, error],
	error) {
	return s.Shared.Watch(ctx, f, from)
}

func (s sharedMemory) Last(ctx context.Context, f events.Filter) (uint64, error) {
	return s.Shared.Last(ctx, f)
}

func TestASharedLogIsALog(t *testing.T) {
	eventstest.TestLog(t, func(testing.TB) events.Log {
		memory := eventstest.NewMemory()
		return sharedMemory{events.NewShared(memory, events.Catalogue(), "p1"), memory}
	})
}
