package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
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

// Watch yields stored events and then new ones; see events.Log. The cutoff is
// the sequence of the newest event under f when the call was made, so the
// replay is over once an event at or past it was yielded, or at once if it is
// below from. A slow reader is never cut off: it asks the server for more when
// it is ready, and nothing is kept for it meanwhile. The feed holds a consumer of
// the server until it is ranged over and left; it may be ranged over once. A
// lost server is waited for; one that comes back with another history than the
// one that was read ends the feed with events.ErrReplaced.
func (c *Conn) Watch(ctx context.Context, f events.Filter, from uint64) (uint64, iter.Seq2[events.Event, error],
	error) {
	cutoff, err := c.Last(ctx, f)
	if err != nil {
		return 0, nil, fmt.Errorf("watch %s: %w", f.Subject(), err)
	}
	before, err := c.markAt(ctx, max(from, 1)-1)
	if err != nil {
		return 0, nil, fmt.Errorf("watch %s: %w", f.Subject(), err)
	}
	fd, err := c.openFeed(ctx, f, from)
	if err != nil {
		return 0, nil, fmt.Errorf("watch %s: %w", f.Subject(), err)
	}
	fd.before = before
	return cutoff, func(yield func(events.Event, error) bool) {
		defer fd.close()
		if err := c.follow(ctx, f, cutoff, fd, newWitness(f, max(from, 1), fd.total), yield); err != nil {
			yield(events.Event{}, fmt.Errorf("watch %s: %w", f.Subject(), err))
		}
	}, nil
}

func (c *Conn) follow(ctx context.Context, f events.Filter, cutoff uint64, fd *feed, w *witness,
	yield func(events.Event, error) bool) error {
	for {
		fd.due = w.left > 0
		d, err := fd.next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = w.see(d)
		}
		if err == nil && d.seq == cutoff {
			err = c.nothingSkipped(ctx, f, d)
		}
		if err != nil {
			return err
		}
		if e, ok := c.newest(d); ok && !yield(e, nil) {
			return nil
		}
	}
}

// Bounds of Recent.
const (
	recentEvents = 256
	recentBytes  = 16 << 10 // of one event; a larger one is decoded by each reader
)

// Recent is the newest events that came to a process, decoded. A watch, the pools and
// the live feed of all connections that share one decode each event once, whichever of
// them gets it first. Make it with NewRecent.
type Recent struct {
	registry *events.Registry

	mu    sync.Mutex
	slots [recentEvents]*recentEvent
}

// recentEvent is one event and its bytes, by which it is known again.
type recentEvent struct {
	stored
	decode sync.Once
	event  events.Event
	err    error
}

// NewRecent returns a Recent that all connections of one process share.
func NewRecent() *Recent { return &Recent{registry: events.Catalogue()} }

// event decodes a message and its payload, once for all who share r. The error is that
// of fromStored.
func (r *Recent) event(m stored) (events.Event, error) {
	e := r.find(m)
	e.decode.Do(func() {
		if e.event, e.err = fromStored(e.stored); e.err == nil {
			r.registry.Decode(&e.event)
		}
	})
	return e.event, e.err
}

// find is the place of a message: one of its own where it is too large, or older than
// what stands in its place.
func (r *Recent) find(m stored) *recentEvent {
	fresh := &recentEvent{stored: m}
	if len(m.Body) > recentBytes {
		return fresh
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := &r.slots[m.Seq%recentEvents]
	switch is := *slot; {
	case is == nil || is.Seq < m.Seq:
		*slot = fresh
	case is.Seq == m.Seq && is.Subject == m.Subject && is.MsgID == m.MsgID && is.copied == m.copied &&
		is.Time.Equal(m.Time) && bytes.Equal(is.Body, m.Body):
		return is
	}
	return fresh
}
