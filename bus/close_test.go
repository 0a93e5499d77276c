package bus_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestClosedConnectionEndsEverybodySoon(t *testing.T) {
	t.Parallel()
	b := setup(t)
	watcher, w := b.as(t, reader), b.as(t, worker1)
	_, feed, err := watcher.Watch(b.ctx, events.Filter{}, 1)
	require.NoError(t, err)
	ends := make(chan error, 3)
	go func() {
		for _, err := range feed {
			ends <- err
		}
	}()
	go func() {
		ends <- w.Work(b.ctx, toolPool, 2, func(context.Context, events.Delivery) error { return nil })
	}()
	watcher.Close()
	w.Close()
	for range 2 {
		require.ErrorIs(t, <-ends, events.ErrClosed)
	}
	_, err = w.Append(b.ctx, b.Event(t, worker1.Name, events.ToolSettled{}), nil)
	require.ErrorIs(t, err, events.ErrClosed)
	_, err = watcher.Last(b.ctx, events.Filter{})
	require.ErrorIs(t, err, events.ErrClosed)
}

func TestStoppedServerEndsEverybodySoon(t *testing.T) {
	t.Parallel()
	s, err := bus.Open(t.Context(), bus.Config{Dir: t.TempDir(), Durability: bus.Relaxed, MaxBytes: 1 << 30})
	require.NoError(t, err)
	c, err := s.Connect(reader)
	require.NoError(t, err)
	_, feed, err := c.Watch(t.Context(), events.Filter{}, 1)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "closing twice is closing once")
	for _, err := range feed {
		require.ErrorIs(t, err, events.ErrClosed)
	}
}

// TestDeletedPoolIsTakenUpAgain deletes a pool under its worker. It is made
// again from a position, and the worker goes on.
func TestDeletedPoolIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(eventstest.Patience))
	boss, log := b.as(t, admin), b.as(t, approval)
	seen := make(chan string, 8)
	working(t, b.ctx, b.as(t, worker1), 1, func(_ context.Context, d events.Delivery) error {
		seen <- d.Event.ID
		return nil
	})
	first := b.approve(t, log, 2)
	require.Equal(t, first[0].ID, <-seen)
	require.Equal(t, first[1].ID, <-seen)
	js, err := jetstream.New(boss.NATS())
	require.NoError(t, err)
	require.NoError(t, js.DeleteConsumer(b.ctx, "SLOP_EV", toolPool))
	made, err := b.as(t, bus.Role{Kind: bus.Timers}).MakePools(b.ctx, bustest.Project, first[1].Seq)
	require.NoError(t, err)
	require.Equal(t, []string{toolPool}, made)
	require.Equal(t, first[1].ID, <-seen, "from the position on")
	require.Equal(t, b.approve(t, log, 1)[0].ID, <-seen)
}

func TestLostConsumerIsMadeAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boss, log := b.as(t, admin), b.as(t, approval)
	_, feed, err := boss.Watch(b.ctx, events.Filter{Session: "s1"}, 1)
	require.NoError(t, err)
	seen := make(chan string)
	go func() {
		for e, err := range feed {
			if err == nil {
				seen <- e.ID
			}
		}
	}()
	js, err := jetstream.New(boss.NATS())
	require.NoError(t, err)
	for range 3 {
		require.Equal(t, b.approve(t, log, 1)[0].ID, <-seen)
		for _, name := range consumers(t, b, js) {
			if !strings.HasSuffix(name, "-"+bustest.Project) {
				require.NoError(t, js.DeleteConsumer(b.ctx, "SLOP_EV", name))
			}
		}
	}
	require.Equal(t, b.approve(t, log, 1)[0].ID, <-seen)
}

func consumers(t *testing.T, b *bench, js jetstream.JetStream) []string {
	t.Helper()
	s, err := js.Stream(b.ctx, "SLOP_EV")
	require.NoError(t, err)
	names := s.ConsumerNames(b.ctx)
	var out []string
	for n := range names.Name() {
		out = append(out, n)
	}
	require.NoError(t, names.Err())
	return out
}

func TestReadersLeaveNoConsumersBehind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boss := b.as(t, admin)
	b.approve(t, boss, 20)
	for i := range 30 {
		for range boss.Read(b.ctx, events.Filter{}, 1, uint64(i)) {
		}
		ctx, cancel := context.WithCancel(b.ctx)
		_, feed, err := boss.Watch(ctx, events.Filter{Session: "s1"}, 1)
		require.NoError(t, err)
		for range feed {
			cancel()
		}
		cancel()
	}
	js, err := jetstream.New(boss.NATS())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(consumers(t, b, js)) == len(bus.Pools(bustest.Project)) },
		eventstest.Patience, 10*time.Millisecond)
}

func TestStoredEventIsOneCloudEventsDocument(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.approve(t, b.as(t, approval), 1)[0]
	answer, err := b.as(t, reader).NATS().Request("$JS.API.DIRECT.GET.SLOP_EV", []byte(`{"seq":1}`), eventstest.Patience)
	require.NoError(t, err)
	require.Equal(t, e.ID, answer.Header.Get("Nats-Msg-Id"))
	require.Equal(t, e.Subject(), answer.Header.Get("Nats-Subject"))
	want, err := json.Marshal(e)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(answer.Data))
}
