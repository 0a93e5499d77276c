package bus_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
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
		ends <- w.Work(b.ctx, bus.PoolTools, 2, func(context.Context, bus.Delivery) error { return nil })
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

func TestVanishedPoolEndsWorkAndNothingElse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boss := b.as(t, admin)
	pool := bus.Pool{Name: "gpu", Filters: []events.Filter{{Actor: events.ActorApproval, Type: "ToolApproved", Topic: "render"}}}
	require.NoError(t, boss.EnsurePool(b.ctx, pool))
	end := make(chan error, 1)
	go func() { end <- boss.Work(b.ctx, "gpu", 1, func(context.Context, bus.Delivery) error { return nil }) }()
	js, err := jetstream.New(boss.NATS())
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		c, err := js.Consumer(b.ctx, "SLOP_EV", "gpu")
		return err == nil && c.CachedInfo().NumWaiting > 0
	}, eventstest.Patience, time.Millisecond)
	require.NoError(t, js.DeleteConsumer(b.ctx, "SLOP_EV", "gpu"))
	require.ErrorIs(t, <-end, bus.ErrNoPool)
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
			if name != bus.PoolTools && name != bus.PoolModels {
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
	require.Eventually(t, func() bool { return len(consumers(t, b, js)) == len(bus.Pools()) }, eventstest.Patience, 10*time.Millisecond)
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
