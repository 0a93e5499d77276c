package bustest

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/bus"
	"manualslop/events"
)

// Fill appends many events to the log of a server without waiting for each one. It sets the pools of a project to
// a position after them, as if their work were done. Events of several sessions may share an id.
func Fill(tb testing.TB, s *bus.Server, project string, all []events.Event) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := fill(ctx, s, project, all); err != nil {
		tb.Fatalf("fill the log: %v", err)
	}
}

func fill(ctx context.Context, s *bus.Server, project string, all []events.Event) error {
	nc, err := s.Stock(bus.Role{Kind: bus.Admin})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(512))
	if err != nil {
		return err
	}
	for _, e := range all {
		body, err := e.MarshalJSON()
		if err != nil {
			return err
		}
		m := &nats.Msg{Subject: e.Subject(), Data: body, Header: nats.Header{jetstream.MsgIDHeader: {e.ID + "." + e.Session}}}
		if _, err = js.PublishMsgAsync(m, jetstream.WithStallWait(time.Minute)); err != nil {
			return err
		}
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-ctx.Done():
		return ctx.Err()
	}
	admin, err := s.Connect(bus.Role{Kind: bus.Admin})
	if err != nil {
		return err
	}
	defer admin.Close()
	last, err := admin.Last(ctx, events.Filter{})
	for _, p := range bus.Pools(project) {
		if err == nil {
			err = admin.RewindPool(ctx, p.Name, last+1)
		}
	}
	return err
}
