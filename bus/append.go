package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

const (
	// idWindow is how long the server remembers the id of a stored event.
	idWindow = 10 * time.Minute
	// clockSkew is the maximum assumed difference between the clocks of this machine and a server.
	clockSkew = time.Minute
	// replicaLag is the maximum assumed lag of a replica behind its leader.
	replicaLag = 5 * time.Second
)

// ack is the server's answer to a publish into a stream.
type ack struct {
	Error     *jetstream.APIError `json:"error"`
	Sequence  uint64              `json:"seq"`
	Duplicate bool                `json:"duplicate"`
}

// Append stores e; see events.Log. On a connection made by [Dial] it waits for a lost server until ctx ends. If
// the answer to an append was lost, the stored event is found by its id.
func (c *Conn) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	subject := e.Subject()
	if _, err := events.ParseSubject(subject); err != nil {
		return 0, fmt.Errorf("append %s: %w", e.ID, err)
	}
	body, err := e.MarshalJSON()
	if err != nil {
		return 0, fmt.Errorf("append %s: %w", e.ID, err)
	}
	if len(body) > events.MaxEventBytes {
		return 0, fmt.Errorf("append %s: %w: %d bytes, at most %d", e.ID, events.ErrTooLarge, len(body), events.MaxEventBytes)
	}
	if err := c.leaveReserve(ctx, e.Type, len(body)); err != nil {
		return 0, fmt.Errorf("append %s %s: %w", e.Type, e.ID, err)
	}
	m := &nats.Msg{Subject: subject, Data: body, Header: nats.Header{jetstream.MsgIDHeader: {e.ID}}}
	if x != nil {
		m.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(x.Last, 10)}
		m.Header[jetstream.ExpectedLastSubjSeqSubjHeader] = []string{x.Filter.Subject()}
	}
	seq, err := c.store(ctx, m, e.ID, x)
	if err != nil {
		return 0, fmt.Errorf("append %s %s: %w", e.Type, e.ID, err)
	}
	return seq, nil
}

// store retries publishing an event until it is stored exactly once. If an event on another subject already uses
// its id, such as the original of a copied session or an event with a guessed id, the log keeps both: the next
// message key derives from the subject, so that a repeated append is also found, and the last key cannot be
// guessed.
func (c *Conn) store(ctx context.Context, m *nats.Msg, id string, x *events.Expect) (uint64, error) {
	for _, key := range []string{id, id + "." + events.Digest([]byte(m.Subject))[:16]} {
		m.Header.Set(jetstream.MsgIDHeader, key)
		if seq, taken, err := c.storeOnce(ctx, m, x); err != nil || !taken {
			return seq, err
		}
	}
	m.Header.Set(jetstream.MsgIDHeader, id+"."+nuid.Next())
	seq, _, err := c.storeOnce(ctx, m, x)
	return seq, err
}

// storeOnce publishes an event under the id in its header. taken means that a message on another subject has that id.
func (c *Conn) storeOnce(ctx context.Context, m *nats.Msg, x *events.Expect) (seq uint64, taken bool, err error) {
	a, err := c.publish(ctx, m, func(since time.Time) (uint64, error) { return c.find(ctx, m, since) })
	if errors.Is(err, events.ErrConflict) && x != nil {
		seq, err = c.settleConflict(ctx, m, x.Filter, err)
		return seq, false, err
	}
	if err != nil || !a.Duplicate {
		return a.Sequence, false, err
	}
	same, err := c.compare(ctx, m, a.Sequence)
	return a.Sequence, err == nil && !same, err
}

// settleConflict distinguishes a lost race from a lost answer: the server
// checks the expectation before it looks for duplicates.
func (c *Conn) settleConflict(ctx context.Context, m *nats.Msg, f events.Filter, conflict error) (uint64, error) {
	last, err := c.lastStored(ctx, f)
	if err != nil {
		return 0, errors.Join(conflict, err)
	}
	if last != nil && last.Subject == m.Subject && bytes.Equal(last.Body, m.Data) {
		return last.Seq, nil
	}
	return 0, conflict
}

// compare reports whether the message at seq, which has the id of m, is m itself. If it is another message on the
// same subject, compare returns events.ErrDuplicate.
func (c *Conn) compare(ctx context.Context, m *nats.Msg, seq uint64) (bool, error) {
	if !c.role.readsLog() && !c.asksLeader() {
		return c.compareOwn(ctx, m, seq)
	}
	stored, err := c.storedAt(ctx, seq)
	if err == nil && stored == nil {
		err = fmt.Errorf("%w: sequence %d was acknowledged but cannot be found", ErrUnavailable, seq)
	}
	if err != nil {
		return false, err
	}
	return isMessage(stored, m)
}

// compareOwn is compare for a role that may read only the newest message on its own subjects, from any replica.
// If a replica has not reached seq, it is asked again until replicaLag has passed. A newer message hides the one
// at seq. The hidden message must be the role's own, because the role created the id and disclosed it to nobody
// before sending.
func (c *Conn) compareOwn(ctx context.Context, m *nats.Msg, seq uint64) (bool, error) {
	for until := time.Now().Add(replicaLag); ; pause(ctx, retryPause) {
		newest, err := c.directGet(ctx, apiDirectGet+StreamEvents+"."+m.Subject, nil)
		switch {
		case err != nil:
			return false, err
		case newest != nil && newest.Seq == seq:
			return isMessage(newest, m)
		case newest != nil && newest.Seq > seq:
			return true, nil
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case !c.replicated.Load() || time.Now().After(until):
			return false, nil
		}
	}
}

// isMessage reports whether a stored message is m. It returns events.ErrDuplicate for a different message with
// the subject and the id of m.
func isMessage(stored *stored, m *nats.Msg) (bool, error) {
	if stored.Subject != m.Subject || stored.MsgID != m.Header.Get(jetstream.MsgIDHeader) {
		return false, nil
	}
	if !bytes.Equal(stored.Body, m.Data) {
		return false, fmt.Errorf("%w: sequence %d", events.ErrDuplicate, stored.Seq)
	}
	return true, nil
}

// find looks for a message that was first sent at the time since and may have been stored, once the server may
// have forgotten its id. It returns 0 if there is none. A role that may not read the log finds the message only
// if it is the newest on its subject.
func (c *Conn) find(ctx context.Context, m *nats.Msg, since time.Time) (uint64, error) {
	if time.Since(since) < idWindow/2 {
		return 0, nil // the server knows the id
	}
	if c.role.readsLog() {
		return c.search(ctx, m, since.Add(-clockSkew))
	}
	newest, err := c.newestOn(ctx, m.Subject)
	if err != nil || newest == nil {
		return 0, err
	}
	if same, err := isMessage(newest, m); err != nil || !same {
		return 0, err
	}
	return newest.Seq, nil
}

// search looks for m among the messages stored on its subject since the given time.
func (c *Conn) search(ctx context.Context, m *nats.Msg, since time.Time) (uint64, error) {
	newest, err := c.newestOn(ctx, m.Subject)
	if err != nil || newest == nil || newest.Time.Before(since) {
		return 0, err
	}
	fd := &feed{c: c, filter: m.Subject, since: since, quiet: time.NewTimer(feedSilence)}
	defer fd.close()
	if _, err := fd.create(ctx); err != nil {
		return 0, err
	}
	for {
		d, err := fd.next(ctx)
		if err != nil {
			return 0, err
		}
		at := &stored{events.Stored{Subject: d.msg.Subject, MsgID: d.msg.Header.Get(jetstream.MsgIDHeader), Seq: d.seq,
			Body: d.msg.Data}, false}
		same, err := isMessage(at, m)
		switch {
		case err != nil:
			return 0, err
		case same:
			return d.seq, nil
		case d.seq >= newest.Seq:
			return 0, nil
		}
	}
}

// publish sends a message to a stream and waits for its acknowledgement. If stored is not nil, publish calls it
// before each retry to look for a message that was stored since the given time.
func (c *Conn) publish(ctx context.Context, m *nats.Msg, stored func(since time.Time) (uint64, error)) (ack, error) {
	r := c.newRetry()
	for {
		if r.unsure && stored != nil {
			if seq, err := stored(r.began); err != nil || seq > 0 {
				return ack{Sequence: seq}, err
			}
		}
		a, err := r.publish(ctx, m)
		if err == nil {
			c.answered()
			return a, nil
		}
		if err = r.pause(ctx, m.Subject, err); err != nil {
			return ack{}, err
		}
	}
}

func (r *retry) publish(ctx context.Context, m *nats.Msg) (ack, error) {
	resp, err := r.attempt(ctx, m)
	if err != nil {
		return ack{}, err
	}
	var a ack
	if err := json.Unmarshal(resp.Data, &a); err != nil {
		return ack{}, fmt.Errorf("acknowledgement: %w", err)
	}
	if a.Error != nil {
		err := mapAPI(a.Error)
		if errors.Is(err, events.ErrDiskFull) {
			r.c.refused.Store(time.Now().Unix())
		}
		return ack{}, err
	}
	r.c.refused.Store(0)
	if a.Sequence == 0 {
		return ack{}, fmt.Errorf("acknowledgement: %w: got %.200q", ErrUnavailable, resp.Data)
	}
	return a, nil
}
