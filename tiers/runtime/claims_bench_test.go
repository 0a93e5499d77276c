package runtime_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

// BenchmarkChangingCall carries out edits on a synced log, one at a time.
func BenchmarkChangingCall(b *testing.B) {
	w := newWorldOn(b, bustest.Open(b, func(c *bus.Config) { c.Durability = bus.Sync }), nil)
	w.open(nil)
	worker := w.worker("worker-test-1")
	calls := make([]events.Event, b.N)
	for i := range calls {
		p := approvedCall("edit_file", fmt.Sprintf(`{"path":"a%d.txt","old_string":"hello","new_string":"bye"}`, i))
		p.Call = fmt.Sprintf("c%d", i)
		w.write(fmt.Sprintf("a%d.txt", i), "hello\n")
		e, err := events.New(events.Origin{ID: newID(), Project: project, Session: session, Actor: events.ActorApproval}, p)
		require.NoError(b, err)
		calls[i] = e
		calls[i].Payload = p
	}
	worker.Queue = approvedInOrder{w.connect(bus.Role{Kind: bus.Decider, Name: events.ActorApproval}), calls}
	b.ResetTimer()
	require.NoError(b, worker.Run(b.Context(), 1))
}

// approvedInOrder appends approvals and hands them out, one at a time.
type approvedInOrder struct {
	approval *bus.Conn
	calls    []events.Event
}

func (q approvedInOrder) Work(ctx context.Context, pool string, _ int, handle func(context.Context,
	events.Delivery) error) (err error) {
	if pool == events.PoolName(events.PoolShort, project) {
		<-ctx.Done()
		return nil
	}
	for _, e := range q.calls {
		if e.Seq, err = q.approval.Append(ctx, e, nil); err != nil {
			return err
		}
		if err := handle(ctx, events.Delivery{Event: e, Deliveries: 1}); err != nil {
			return err
		}
	}
	return nil
}
