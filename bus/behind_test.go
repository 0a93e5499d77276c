package bus_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// TestAStartHandsOutWorkWhoseLeaseEndsInTheFuture leaves a call whose lease ends
// in an hour, as one does whose holder died before the clock was set back.
func TestAStartHandsOutWorkWhoseLeaseEndsInTheFuture(t *testing.T) {
	t.Parallel()
	for name, outside := range map[string]bool{"of a worker in the process": false,
		"of a worker outside, whose lease begins anew": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := bus.Config{Dir: t.TempDir(), Project: bustest.Project, Durability: bus.Relaxed, MaxBytes: 1 << 30,
				Host: "test", Listen: "127.0.0.1:0"}
			s, err := bus.Open(t.Context(), cfg)
			require.NoError(t, err)
			b := &bench{&eventstest.Builder{Project: "p1", Session: "s1"}, t.Context(), s}
			b.approve(t, b.as(t, approval), 1)
			if outside {
				keys := filepath.Join(t.TempDir(), "keys")
				require.NoError(t, s.WriteKeys(keys))
				w := dial(t, bus.DialConfig{Creds: filepath.Join(keys, "worker.json"), Role: worker1})
				_, err := w.CreateClaim(t.Context(), "s1.c", fmt.Appendf(nil, `{"process":%q,"approved":1}`, w.Process()))
				require.NoError(t, err)
				w.Close()
			}
			stock, err := s.Stock(worker1)
			require.NoError(t, err)
			msg, err := stock.Request("$JS.API.CONSUMER.MSG.NEXT."+bus.StreamEvents+"."+toolPool,
				[]byte(`{"batch":1,"expires":60000000000}`), eventstest.Patience)
			require.NoError(t, err)
			require.NoError(t, stock.PublishMsg(&nats.Msg{Subject: msg.Reply, Data: []byte(`-NAK {"delay":3600000000000}`)}))
			require.NoError(t, stock.Flush())
			require.NoError(t, s.Close())
			s, err = bus.Open(t.Context(), cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			again := make(chan struct{}, 10)
			working(t, t.Context(), bustest.Connect(t, s, worker1), 1, func(context.Context, events.Delivery) error {
				again <- struct{}{}
				return nil
			})
			select {
			case <-again:
			case <-time.After(eventstest.Patience):
				t.Fatal("the call waits for the clock")
			}
		})
	}
}
