package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// Follow calls take for each event under f that is stored from now on, until
// ctx ends. It needs no consumer and no right to read the log, and promises
// less: what comes while the connection is down is missed. events.ErrSlow when
// take is so slow that events had to be dropped.
func (c *Conn) Follow(ctx context.Context, f events.Filter, take func(events.Event)) error {
	subject := events.RootLive + strings.TrimPrefix(f.Subject(), events.RootEvents)
	err := c.listen(ctx, subject, func(m *nats.Msg) {
		if e, ok := c.republished(m); ok {
			take(e)
		}
	})
	if errors.Is(err, nats.ErrSlowConsumer) {
		err = events.ErrSlow
	}
	if err != nil {
		return fmt.Errorf("follow %s: %w", subject, err)
	}
	return nil
}

// republished decodes a message of the live feed. The server has stamped it
// with its place in the stream.
func (c *Conn) republished(m *nats.Msg) (events.Event, bool) {
	at, err := time.Parse(time.RFC3339Nano, stamped(m.Header, jetstream.TimeStampHeaer))
	if err != nil {
		c.log.Warn("live message without a time", "subject", m.Subject, "error", err)
		return events.Event{}, false
	}
	seq, err := sequence(m.Header)
	if err != nil {
		c.log.Warn("live message without a place in the log", "subject", m.Subject, "error", err)
		return events.Event{}, false
	}
	e, err := c.recent.event(stored{events.Stored{Subject: stamped(m.Header, jetstream.SubjectHeader),
		MsgID: m.Header.Get(jetstream.MsgIDHeader), Seq: seq, Time: at, Body: m.Data},
		len(m.Header.Values(jetstream.StreamHeader)) > 1})
	if err != nil {
		c.log.Warn("foreign message in the live feed", "subject", m.Subject, "error", err)
		return events.Event{}, false
	}
	return e, true
}

// listen hands the messages of a core subscription to take until ctx ends.
func (c *Conn) listen(ctx context.Context, subject string, take func(*nats.Msg)) error {
	lctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer c.denials.watch(subject, cancel)()
	sub, err := c.nc.SubscribeSync(subject)
	if err != nil {
		return mapConn(err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only on a closed connection
	for {
		m, err := sub.NextMsgWithContext(lctx)
		switch {
		case err == nil:
			take(m)
		case ctx.Err() != nil:
			return nil
		case lctx.Err() != nil:
			return context.Cause(lctx)
		default:
			return mapConn(err)
		}
	}
}
