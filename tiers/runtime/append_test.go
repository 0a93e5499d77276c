package runtime_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// roomless is a log without room.
type roomless struct {
	events.Log
	err error
}

func (l roomless) Append(context.Context, events.Event, *events.Expect) (uint64, error) {
	return 0, l.err
}

func TestLossOfAWorkerIsNotRecordedInTheLastRoom(t *testing.T) {
	t.Parallel()
	for _, full := range []error{events.ErrReserve, events.ErrDiskFull} {
		var said bytes.Buffer
		log := roomless{eventstest.NewMemory(), full}
		p := &runtime.LostWorkers{Project: project, Log: log, Clock: time.Now, IDs: newID,
			Logger: slog.New(slog.NewTextHandler(&said, nil))}
		p.Begin(t.Context(), "S1", nil)
		p.Begin(t.Context(), "S2", nil)
		p.Gone(t.Context(), "worker-h-1")
		require.Equal(t, 1, bytes.Count(said.Bytes(), []byte("\n")), said.String())
	}
}

func TestOutcomeThatWaitsForRoomSaysSoOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello"})
	w.open(nil)
	worker := w.worker("worker-test-1")
	var said bytes.Buffer
	worker.Logger = slog.New(slog.NewTextHandler(&said, nil))
	worker.Log = &refusing{OwnLog: worker.Log, typ: "ToolSettled", with: events.ErrDiskFull, left: 2}
	worker.Queue = handed{w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`)), 1}
	require.NoError(t, worker.Run(t.Context(), 1))
	require.Equal(t, 1, w.outcomesOf("c1"))
	require.Equal(t, 1, bytes.Count(said.Bytes(), []byte("append failed")), said.String())
}

// refusing refuses so many appends of a type.
type refusing struct {
	runtime.OwnLog
	typ  string
	with error

	mu    sync.Mutex
	left  int
	tries []time.Time // when it was asked
}

func (l *refusing) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	if e.Type != l.typ {
		return l.OwnLog.Append(ctx, e, x)
	}
	l.mu.Lock()
	l.tries = append(l.tries, time.Now())
	l.left--
	refuses := l.left >= 0
	l.mu.Unlock()
	if refuses {
		return 0, l.with
	}
	return l.OwnLog.Append(ctx, e, x)
}

// asked are the times of these appends.
func (l *refusing) asked() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.tries)
}
