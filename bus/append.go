package bus

import (
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
	body, err := json.Marshal(e)
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
	seq, err := c.store(ctx, m, e, x)
	if err != nil {
		return 0, fmt.Errorf("append %s %s: %w", e.Type, e.ID, err)
	}
	return seq, nil
}

func (c *Conn) store(ctx context.Context, m *nats.Msg, e events.Event, x *events.Expect) (uint64, error) {
	a, err := c.publish(ctx, m)
	if errors.Is(err, events.ErrConflict) && x != nil {
		return c.settleConflict(ctx, e, x.Filter, err)
	}
	if err != nil || !a.Duplicate {
		return a.Sequence, err
	}
	same, err := c.holds(ctx, a.Sequence, e)
	if err != nil || same {
		return a.Sequence, err
	}
	// The id is taken by an event on another subject, such as the original of
	// a copied session. The log keeps both.
	m.Header.Set(jetstream.MsgIDHeader, e.ID+"."+nuid.Next())
	a, err = c.publish(ctx, m)
	return a.Sequence, err
}

// settleConflict tells a lost race from an answer that was lost: the server
// checks the expectation before it looks for duplicates.
func (c *Conn) settleConflict(ctx context.Context, e events.Event, f events.Filter, conflict error) (uint64, error) {
	last, found, err := c.LastEvent(ctx, f)
	if err != nil {
		return 0, errors.Join(conflict, err)
	}
	if found && last.ID == e.ID && last.Subject() == e.Subject() {
		return last.Seq, nil
	}
	return 0, conflict
}

// holds tells whether the event that stands at seq is e. A role that may not
// read the log looks at the newest event of its own subject instead.
func (c *Conn) holds(ctx context.Context, seq uint64, e events.Event) (bool, error) {
	var stored events.Event
	var found bool
	var err error
	if c.role.Kind == Worker || c.role.Kind == Agent {
		stored, found, err = c.LastEvent(ctx, events.Filter{Project: e.Project, Session: e.Session, Actor: e.Actor, Type: e.Type, Topic: e.Topic})
	} else {
		stored, found, err = c.get(ctx, apiDirectGet+StreamEvents, getRequest{Seq: seq})
	}
	return found && stored.ID == e.ID && stored.Subject() == e.Subject(), err
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
