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
	if err := c.sameLog(ctx); err != nil {
		return err
	}
	last, err := c.Last(ctx, f)
	if err != nil {
		return err
	}
	end := last
	if to != 0 {
		end = min(to, last)
	}
	from = max(from, 1)
	if end < from {
		return nil
	}
	if c.role.Kind == Worker {
		c.reading.Lock()
		defer c.reading.Unlock()
	}
	fd, err := c.openFeed(ctx, f, from)
	if err != nil {
		return err
	}
	defer fd.close()
	fd.due = true
	w := newWitness(f, from, fd.total)
	for w.seq < end {
		d, err := fd.next(ctx)
		if err != nil {
			return err
		}
		if err := w.see(d); err != nil {
			return err
		}
		if d.seq == last {
			fd.close()
			if err := c.nothingSkipped(ctx, f, d); err != nil {
				return err
			}
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

// event decodes the envelope of a delivery; false for a foreign subject.
func (c *Conn) event(d delivery) (events.Event, bool) { return c.decode(d, fromStored) }

// newest decodes a delivery of something new, once in this process; false for a
// foreign subject.
func (c *Conn) newest(d delivery) (events.Event, bool) { return c.decode(d, c.recent.event) }

func (c *Conn) decode(d delivery, decode func(stored) (events.Event, error)) (events.Event, bool) {
	m := stored{events.Stored{
		Subject: d.msg.Subject, MsgID: d.msg.Header.Get(jetstream.MsgIDHeader), Seq: d.seq, Time: d.at, Body: d.msg.Data,
	}, d.msg.Header.Get(jetstream.StreamHeader) != ""}
	if m.copied {
		c.log.Warn("event was not published by its actor and does not count", "seq", d.seq, "subject", d.msg.Subject)
	}
	e, err := decode(m)
	if err != nil {
		c.log.Warn("foreign message in the stream", "seq", d.seq, "error", err)
		return events.Event{}, false
	}
	return e, true
}
