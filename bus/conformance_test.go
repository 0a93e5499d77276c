package bus_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// logUnderTest is a connection that may write as anybody, and a stock client's publish.
type logUnderTest struct{ *bus.Conn }

func (l logUnderTest) AppendBare(ctx context.Context, subject, msgID string, body []byte) error {
	m := &nats.Msg{Subject: subject, Data: body, Header: nats.Header{}}
	if msgID != "" {
		m.Header.Set("Nats-Msg-Id", msgID)
	}
	answer, err := l.NATS().RequestMsgWithContext(ctx, m)
	if err == nil && len(answer.Data) == 0 {
		err = errors.New("no acknowledgement")
	}
	return err
}

func openLog(durability string) func(testing.TB) events.Log {
	return func(tb testing.TB) events.Log {
		s := bustest.Open(tb, func(c *bus.Config) { c.Durability = durability })
		return logUnderTest{bustest.Connect(tb, s, bus.Role{Kind: bus.Admin})}
	}
}

func TestRelaxedBusIsALog(t *testing.T) { eventstest.TestLog(t, openLog(bus.Relaxed)) }

func TestSyncBusIsALog(t *testing.T) { eventstest.TestLog(t, openLog(bus.Sync)) }

func TestBusIsABlobStore(t *testing.T) {
	eventstest.TestBlobs(t, func(tb testing.TB) events.Blobs {
		return bustest.Connect(tb, bustest.Open(tb), bus.Role{Kind: bus.Worker, Name: "worker-test-1"})
	})
}
