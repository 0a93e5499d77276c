package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
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

// getRequest asks for one stored message.
type getRequest struct {
	Seq     uint64 `json:"seq,omitempty"`
	LastFor string `json:"last_by_subj,omitempty"`
	NextFor string `json:"next_by_subj,omitempty"`
}

// Last is the sequence of the newest event under f; see events.Log. A message
// on a foreign subject is no event and has its place all the same: it is not
// looked into, so that one at the end of the log stops nobody.
func (c *Conn) Last(ctx context.Context, f events.Filter) (uint64, error) {
	m, err := c.lastStored(ctx, f)
	if err != nil || m == nil {
		return 0, err
	}
	return m.Seq, nil
}

// LastEvent is the newest event under f; false if there is none. A role that
// may not read the log may ask for its own subtree only.
func (c *Conn) LastEvent(ctx context.Context, f events.Filter) (events.Event, bool, error) {
	m, err := c.lastStored(ctx, f)
	if err != nil || m == nil {
		return events.Event{}, false, err
	}
	e, err := fromStored(*m)
	return e, err == nil, err
}

// lastStored is the newest message under f; nil if there is none.
func (c *Conn) lastStored(ctx context.Context, f events.Filter) (*stored, error) {
	return c.newestOn(ctx, f.Subject())
}

// newestOn is the newest message of the log on a subject, which may have
// wildcards; nil if there is none.
func (c *Conn) newestOn(ctx context.Context, subject string) (*stored, error) {
	if c.asksLeader() {
		return c.askLeader(ctx, StreamEvents, getRequest{LastFor: subject})
	}
	return c.directGet(ctx, apiDirectGet+StreamEvents+"."+subject, nil)
}

// asksLeader tells whether reads of the log go to the leader of a cluster. An
// agent may not ask it: it reads its own newest event of any replica.
func (c *Conn) asksLeader() bool {
	return c.replicated.Load() && (c.role.readsLog() || c.role.Kind == Worker)
}

// storedAt is the message at a sequence of the log; nil if there is none.
func (c *Conn) storedAt(ctx context.Context, seq uint64) (*stored, error) {
	if c.asksLeader() {
		return c.askLeader(ctx, StreamEvents, getRequest{Seq: seq})
	}
	return c.directGet(ctx, apiDirectGet+StreamEvents, getRequest{Seq: seq})
}

// directGet reads one stored message of any stream; nil where there is none.
func (c *Conn) directGet(ctx context.Context, subject string, req any) (*stored, error) {
	var body []byte
	if req != nil {
		var err error
		if body, err = json.Marshal(req); err != nil {
			return nil, fmt.Errorf("encode request %s: %w", subject, err)
		}
	}
	resp, err := c.request(ctx, &nats.Msg{Subject: subject, Data: body})
	if err != nil {
		return nil, err
	}
	switch status := resp.Header.Get("Status"); status {
	case "":
	case "404":
		return nil, nil
	default:
		return nil, fmt.Errorf("%s: %w: status %s %s", subject, ErrUnavailable, status, resp.Header.Get("Description"))
	}
	seq, err := sequence(resp.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	at, err := time.Parse(time.RFC3339Nano, stamped(resp.Header, jetstream.TimeStampHeaer))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	return &stored{events.Stored{
		Subject: stamped(resp.Header, jetstream.SubjectHeader), MsgID: resp.Header.Get(jetstream.MsgIDHeader),
		Seq: seq, Time: at, Body: resp.Data,
	}, len(resp.Header.Values(jetstream.StreamHeader)) > 1}, nil
}

// stamped is a header that the server wrote into its answer. It stands behind
// those that the message was stored with, which its writer may have forged.
func stamped(h nats.Header, key string) string {
	values := h.Values(key)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

func sequence(h nats.Header) (uint64, error) {
	return strconv.ParseUint(stamped(h, jetstream.SequenceHeader), 10, 64)
}

// askLeader asks the leader of a stream, which has every acknowledged message;
// nil where there is none.
func (c *Conn) askLeader(ctx context.Context, stream string, req getRequest) (*stored, error) {
	var out struct {
		Message *struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	err := c.api(ctx, apiMsgGet+stream, req, &out)
	if errors.Is(err, events.ErrNoKey) {
		return nil, nil
	}
	if err != nil || out.Message == nil {
		return nil, err
	}
	m, h := out.Message, nats.Header{}
	if len(m.Header) > 0 {
		if h, err = nats.DecodeHeadersMsg(m.Header); err != nil {
			return nil, fmt.Errorf("headers of message %d: %w", m.Seq, err)
		}
	}
	return &stored{events.Stored{Subject: m.Subject, MsgID: h.Get(jetstream.MsgIDHeader), Seq: m.Seq, Time: m.Time,
		Body: m.Data},
		len(h.Values(jetstream.StreamHeader)) > 0}, nil
}

// stored is a message of a stream as the server gave it out.
type stored struct {
	events.Stored
	// copied tells that the server put the message into the stream itself. It
	// sends its answers to whatever reply subject a request names, also to one
	// that the asker may not publish; so permissions pin the author of such a
	// message to nobody. The server marks what it copies out of a stream.
	copied bool
}

// fromStored decodes a message of the log. A copied one is malformed, under an
// id of its own: it has its place in the order and never counts. Only a foreign
// subject is an error.
func fromStored(m stored) (events.Event, error) {
	if !m.copied {
		return events.FromStored(m.Stored)
	}
	raw := m.Body
	m.MsgID, m.Body = "", nil
	e, err := events.FromStored(m.Stored)
	if err != nil {
		return events.Event{}, err
	}
	e.Payload = events.Unreadable(e.Type, 1, raw, fmt.Sprintf("%s did not publish it: the server copied it here", e.Actor))
	return e, nil
}
