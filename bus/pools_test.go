package bus_test

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestPoolsBeyondThePageOfTheServerAreListed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boss := b.as(t, admin)
	js, err := jetstream.New(boss.NATS())
	require.NoError(t, err)
	const page = 256
	want := []string{events.PoolName(events.PoolModels, "p1"), events.PoolName(events.PoolShort, "p1"), toolPool}
	for n := range page {
		name := fmt.Sprintf("a%03d", n) // listed before the others
		_, err := js.CreateConsumer(b.ctx, "SLOP_EV", jetstream.ConsumerConfig{Durable: name, MemoryStorage: true,
			FilterSubject: "slop.ev.other.>"})
		require.NoError(t, err)
		want = append(want, name)
	}
	_, err = js.CreateConsumer(b.ctx, "SLOP_EV", jetstream.ConsumerConfig{Name: "reader", MemoryStorage: true})
	require.NoError(t, err)
	got, err := boss.PoolNames(b.ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, want, got)
}
