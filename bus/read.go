package bus

import (
	"context"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"

	"manualslop/events"
)

// Read yields stored events; see events.Log. Whatever lies between two yields
// is paid by the reader alone: a slow one holds up nobody.
func (c *Conn) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		if err := c.read(ctx, f, from, to, yield); err != nil {
			yield(events.Event{}, fmt.Errorf("read %s: %w", f.Subject(), err))
		}
	}
}

func (c *Conn) read(ctx context.Context, f events.Filter, from, to uint64, yield func(events.Event, error) bool) error {
	last, err := c.Last(ctx, f)
	if err != nil {
		return err
	}
	end := last
	if to != 0 {
		end = min(to, last)
	}
	from = max(from, 1)
	fd, err := c.openFeed(ctx, f, from)
	if err != nil {
		return err
	}
	defer fd.close()
	fd.due = true
	if end < from && fd.total == 0 {
		return nil
	}
	w := newWitness(f, from, fd.total)
	for w.seq < end {
		d, err := fd.next(ctx)
		if err != nil {
			return err
		}
		if err := w.see(d); err != nil {
			return err
		}
		if d.seq > end {
			return nil
		}
		e, ok := c.event(d)
		if ok && !yield(e, nil) {
			return nil
		}
	}
	return nil
}

// event decodes a delivery. A foreign subject, or a message that the server
// copied into the stream on somebody's behalf, is none: permissions pin the
// writer of a message only where he published it himself.
func (c *Conn) event(d delivery) (events.Event, bool) {
	if d.msg.Header.Get(jetstream.StreamHeader) != "" {
		c.log.Warn("message was not published by its actor", "seq", d.seq, "subject", d.msg.Subject)
		return events.Event{}, false
	}
	e, err := events.FromStored(events.Stored{
		Subject: d.msg.Subject, MsgID: d.msg.Header.Get(jetstream.MsgIDHeader), Seq: d.seq, Time: d.at, Body: d.msg.Data,
	})
	if err != nil {
		c.log.Warn("foreign message in the stream", "seq", d.seq, "error", err)
		return events.Event{}, false
	}
	return e, true
}
