package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"manualslop/events"
)

// ack is the server's answer to a publish into a stream.
type ack struct {
	Error     *jetstream.APIError `json:"error"`
	Sequence  uint64              `json:"seq"`
	Duplicate bool                `json:"duplicate"`
}

// Append stores e; see events.Log. On a connection made by [Dial] it waits for
// a lost server until ctx ends; an append that was stored while its answer was
// lost is found again by its id.
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

func (c *Conn) store(ctx context.Context, m *nats.Msg, id string, x *events.Expect) (uint64, error) {
	a, err := c.publish(ctx, m)
	if errors.Is(err, events.ErrConflict) && x != nil {
		return c.settleConflict(ctx, m, x.Filter, err)
	}
	if err != nil || !a.Duplicate {
		return a.Sequence, err
	}
	switch same, err := c.compare(ctx, m, a.Sequence); {
	case err != nil:
		return 0, err
	case same:
		return a.Sequence, nil
	}
	// The id is taken by an event on another subject, such as the original of
	// a copied session, or one that guessed the id. The log keeps both.
	m.Header.Set(jetstream.MsgIDHeader, id+"."+nuid.Next())
	a, err = c.publish(ctx, m)
	return a.Sequence, err
}

// settleConflict tells a lost race from an answer that was lost: the server
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

// compare tells whether the message at seq, which has taken the id of m, is m
// itself; events.ErrDuplicate if it is another one of the same subject. A role
// that may not read the log looks at the newest message of that subject.
func (c *Conn) compare(ctx context.Context, m *nats.Msg, seq uint64) (bool, error) {
	subject, req := apiDirectGet+StreamEvents, any(getRequest{Seq: seq})
	if !c.role.readsLog() {
		subject, req = subject+"."+m.Subject, nil
	}
	stored, err := c.directGet(ctx, subject, req)
	switch {
	case err != nil:
		return false, err
	case stored == nil || stored.Subject != m.Subject || stored.MsgID != m.Header.Get(jetstream.MsgIDHeader):
		return false, nil
	case !bytes.Equal(stored.Body, m.Data):
		return false, fmt.Errorf("%w: sequence %d", events.ErrDuplicate, stored.Seq)
	}
	return true, nil
}

// publish sends a message into a stream and waits for its acknowledgement.
func (c *Conn) publish(ctx context.Context, m *nats.Msg) (ack, error) {
	resp, err := c.request(ctx, m)
	if err != nil {
		return ack{}, err
	}
	var a ack
	if err := json.Unmarshal(resp.Data, &a); err != nil {
		return ack{}, fmt.Errorf("acknowledgement of %s: %w", m.Subject, err)
	}
	if a.Error != nil {
		return ack{}, mapAPI(a.Error)
	}
	if a.Sequence == 0 {
		return ack{}, fmt.Errorf("acknowledgement of %s: %w: it reads %.200q", m.Subject, ErrUnavailable, resp.Data)
	}
	return a, nil
}
