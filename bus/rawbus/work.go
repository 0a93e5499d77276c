package rawbus

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/bus"
	"manualslop/events"
)

// Work answers approved calls as the named worker until ctx ends, with one pull
// per message in each slot.
func Work(ctx context.Context, connect Connect, worker string, slots int) error {
	nc, err := connect(bus.Role{Kind: bus.Worker, Name: worker})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	pool, err := js.Consumer(ctx, bus.StreamEvents, events.PoolName(events.PoolTools, Project))
	if err != nil {
		return err
	}
	run := strconv.FormatInt(time.Now().UnixNano(), 36)
	var wg sync.WaitGroup
	for slot := range slots {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				m, err := pool.Next(jetstream.FetchContext(ctx))
				if err != nil {
					continue // expired or closed
				}
				t, err := events.ParseSubject(m.Subject())
				if err != nil {
					_ = m.Term()
					continue
				}
				l := settled(t.Session, worker)
				if l.publish(ctx, js, run+"-"+strconv.Itoa(slot)+"-"+strconv.Itoa(n)) == nil {
					_ = m.Ack()
				}
			}
		})
	}
	wg.Wait()
	return nil
}
