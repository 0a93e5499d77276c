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

// Read yields stored events; see events.Log. A slow reader delays only itself.
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

// event decodes the envelope of a delivery. It returns false for a subject that is not an event's.
func (c *Conn) event(d delivery) (events.Event, bool) { return c.decode(d, fromStored) }

// newest decodes a new delivery, once per process. It returns false for a subject that is not an event's.
func (c *Conn) newest(d delivery) (events.Event, bool) { return c.decode(d, c.recent.event) }

func (c *Conn) decode(d delivery, decode func(stored) (events.Event, error)) (events.Event, bool) {
	m := stored{events.Stored{
		Subject: d.msg.Subject, MsgID: d.msg.Header.Get(jetstream.MsgIDHeader), Seq: d.seq, Time: d.at, Body: d.msg.Data,
	}, d.msg.Header.Get(jetstream.StreamHeader) != ""}
	if m.copied {
		c.log.Warn("event was not published by its actor and is ignored", "seq", d.seq, "subject", d.msg.Subject)
	}
	e, err := decode(m)
	if err != nil {
		c.log.Warn("foreign message in the stream", "seq", d.seq, "error", err)
		return events.Event{}, false
	}
	return e, true
}

// Follow calls take for each event under f that is stored from now on, until ctx ends. It needs no consumer and
// no right to read the log, but guarantees less: it misses events that are stored while the connection is down.
// It returns events.ErrSlow if take is so slow that events had to be dropped.
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
// with its sequence.
func (c *Conn) republished(m *nats.Msg) (events.Event, bool) {
	at, err := time.Parse(time.RFC3339Nano, stamped(m.Header, jetstream.TimeStampHeaer))
	if err != nil {
		c.log.Warn("live message without a time", "subject", m.Subject, "error", err)
		return events.Event{}, false
	}
	seq, err := sequence(m.Header)
	if err != nil {
		c.log.Warn("live message without a sequence number", "subject", m.Subject, "error", err)
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

// listen passes the messages of a core NATS subscription to take until ctx ends.
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

// Watch yields stored events and then new ones; see events.Log. The cutoff is the sequence of the newest event
// under f at the time of the call. The replay is over once an event at or after the cutoff was yielded, or at
// once if the cutoff is below from. A slow reader is never cut off: the feed requests more from the server when
// the reader is ready, and nothing is buffered for it. The feed holds a server consumer until its range loop
// ends; it may be ranged over once. It waits for a lost server. If the server comes back with a different
// history, the feed ends with events.ErrReplaced.
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

// Limits of Recent.
const (
	recentEvents = 256
	recentBytes  = 16 << 10 // per event; each reader decodes larger events itself
)

// Recent is a cache of the newest decoded events of a process. The watches, pools and live feeds of all
// connections that share a Recent decode each event only once. Create it with NewRecent.
type Recent struct {
	registry *events.Registry

	mu    sync.Mutex
	slots [recentEvents]*recentEvent
}

// recentEvent is one event and the stored message by which it is recognized.
type recentEvent struct {
	stored
	decode sync.Once
	event  events.Event
	err    error
}

// NewRecent returns a Recent that all connections of one process share.
func NewRecent() *Recent { return &Recent{registry: events.Catalogue()} }

// event decodes a message and its payload, once for all users of r. It returns the same error as fromStored.
func (r *Recent) event(m stored) (events.Event, error) {
	e := r.find(m)
	e.decode.Do(func() {
		if e.event, e.err = fromStored(e.stored); e.err == nil {
			r.registry.Decode(&e.event)
		}
	})
	return e.event, e.err
}

// find returns the slot of a message. It returns a new slot if the message is too large or older than the one in
// its slot.
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

// Last returns the sequence of the newest event under f; see events.Log. A message on a foreign subject also
// counts. It has a sequence but is not decoded, so one at the end of the log does no harm.
func (c *Conn) Last(ctx context.Context, f events.Filter) (uint64, error) {
	m, err := c.lastStored(ctx, f)
	if err != nil || m == nil {
		return 0, err
	}
	return m.Seq, nil
}

// LastEvent returns the newest event under f, and false if there is none. A role that may not read the log may
// ask only for its own subtree.
func (c *Conn) LastEvent(ctx context.Context, f events.Filter) (events.Event, bool, error) {
	m, err := c.lastStored(ctx, f)
	if err != nil || m == nil {
		return events.Event{}, false, err
	}
	e, err := fromStored(*m)
	return e, err == nil, err
}

// lastStored returns the newest message under f, or nil if there is none.
func (c *Conn) lastStored(ctx context.Context, f events.Filter) (*stored, error) {
	return c.newestOn(ctx, f.Subject())
}

// newestOn returns the newest message of the log on a subject, which may have wildcards, or nil if there is none.
func (c *Conn) newestOn(ctx context.Context, subject string) (*stored, error) {
	if c.asksLeader() {
		return c.askLeader(ctx, StreamEvents, getRequest{LastFor: subject})
	}
	return c.directGet(ctx, apiDirectGet+StreamEvents+"."+subject, nil)
}

// asksLeader reports whether reads of the log go to the leader of a cluster. An agent may not ask the leader; it
// reads its own newest event from any replica.
func (c *Conn) asksLeader() bool {
	return c.replicated.Load() && (c.role.readsLog() || c.role.Kind == Worker)
}

// storedAt returns the message at a sequence of the log, or nil if there is none.
func (c *Conn) storedAt(ctx context.Context, seq uint64) (*stored, error) {
	if c.asksLeader() {
		return c.askLeader(ctx, StreamEvents, getRequest{Seq: seq})
	}
	return c.directGet(ctx, apiDirectGet+StreamEvents, getRequest{Seq: seq})
}

// directGet reads one stored message of any stream. It returns nil if there is none.
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

// stamped returns a header that the server added to its answer. The server adds it after the headers that were
// stored with the message, which the message's author may have forged.
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

// askLeader asks the leader of a stream, which has every acknowledged message. It returns nil if there is none.
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

// stored is a message of a stream as returned by the server.
type stored struct {
	events.Stored
	// copied means that the server itself put the message into the stream. The server sends its answers to the
	// reply subject of a request, even to one on which the client may not publish, so the author of such a
	// message is not verified. The server marks messages that it copies out of a stream.
	copied bool
}

// fromStored decodes a message of the log. A copied message becomes a malformed event with its own id: it keeps
// its position but has no effect. The only error is a subject that is not an event's.
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
	e.Payload = events.Unreadable(e.Type, 1, raw, fmt.Sprintf("it was copied here by the server, not published "+
		"by %s", e.Actor))
	return e, nil
}
