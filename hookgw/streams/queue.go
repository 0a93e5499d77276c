package streams

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// drainAttempts limits how often a drain yields to other processes.
const drainAttempts = 32

// batch is the answer of GET /api/events.
type batch struct {
	Events []json.RawMessage `json:"events"`
	// Through is the position for the next ?since=.
	Through uint64 `json:"through"`
	// More means that the batch was cut at its limit.
	More bool `json:"more,omitempty"`
	// Session is the session of the queue, if ?through= was sent: another session can be the current one when the
	// batch is acknowledged.
	Session string `json:"session,omitempty"`
}

// getEvents drains the client's queue, removes events up to ?through= and shows the rest, or only reads what came
// after ?since=.
func getEvents(c *core.Call) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	query := c.Query()
	client := query.Get("client")
	if client != "" && !events.ValidToken(client) {
		return problem.New(http.StatusBadRequest, "this client name is not valid", "Use up to 64 of A-Z a-z 0-9 _ -.")
	}
	positions := map[string]*uint64{"since": nil, "through": nil}
	for name := range positions {
		if !query.Has(name) {
			continue
		}
		at, err := strconv.ParseUint(query.Get(name), 10, 64)
		if err != nil {
			return problem.New(http.StatusBadRequest, name+" must be a sequence number",
				`Use the value of "through" in the previous answer, or 0.`)
		}
		positions[name] = &at
	}
	var out batch
	switch since, through := positions["since"], positions["through"]; {
	case since != nil && through != nil:
		return problem.New(http.StatusBadRequest, "since and through must not both be set",
			"Send since to read events, or through to remove those that you have seen.")
	case since != nil:
		out, err = look(c, session, func(s *projections.Set) (uint64, []projections.QueueEntry) {
			return *since, s.QueueSince(*since)
		})
	default:
		out, err = drain(c, session, client, through)
	}
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// drain removes everything that was pushed since the client's last drain. With through it removes the entries up to
// that position and returns the rest. Removing up to the same position again changes nothing, so a client that lost
// an answer can repeat the request. A drain is recorded by a compare-and-set on the drains of the session: of two
// concurrent readers of the same queue, the second is told so and reads again.
func drain(c *core.Call, session, client string, through *uint64) (batch, error) {
	ctx := c.Request.Context()
	if session == "" {
		return batch{Events: []json.RawMessage{}}, nil
	}
	select {
	case c.Gw.Drains <- struct{}{}:
		defer func() { <-c.Gw.Drains }()
	case <-ctx.Done():
		return batch{}, ctx.Err()
	}
	taken := events.Filter{Project: c.Gw.Cfg.Project, Session: session, Actor: events.ActorGateway,
		Type: events.NameOf[events.EventsDrained]()}
	for range drainAttempts {
		last, err := c.Gw.Cfg.Log.Last(ctx, taken)
		if err != nil {
			return batch{}, err
		}
		if err := c.Gw.CaughtUp(ctx, last); err != nil {
			return batch{}, err
		}
		full := false
		var at, newest uint64
		out, err := look(c, session, func(s *projections.Set) (uint64, []projections.QueueEntry) {
			clients, known := s.QueueClients(client)
			full = !known && clients >= projections.MaxQueueClients
			at, newest = s.QueuePosition(client), s.Seq()
			if through != nil && *through > at && *through <= newest {
				return *through, s.QueueSince(*through)
			}
			return at, s.Queue(client)
		})
		if err != nil {
			return out, err
		}
		to := out.Through
		if through != nil {
			to, out.Session = *through, session
		}
		switch {
		case to > newest:
			return batch{}, problem.New(http.StatusBadRequest, "through is after the newest event",
				`Use the value of "through" in the previous answer, or 0.`)
		case to <= at: // nothing to remove
			return out, nil
		}
		if full {
			return batch{}, problem.New(http.StatusTooManyRequests, "too many clients are draining the queue of "+
				"this session",
				"Use a ?client= that has drained this queue before, or read with ?since=.")
		}
		err = take(c, session, events.EventsDrained{Client: client, Through: to}, &events.Expect{Filter: taken, Last: last})
		if !errors.Is(err, events.ErrConflict) {
			return out, err
		}
	}
	return batch{}, problem.New(http.StatusServiceUnavailable, "too many clients are draining this queue at once",
		"Give each reader its own ?client=.")
}

// take appends the record of a drain.
func take(c *core.Call, session string, p events.EventsDrained, x *events.Expect) error {
	e, err := c.Gw.Event(c.Gw.Own, session, p)
	if err != nil {
		return err
	}
	if _, err := c.Gw.Append(c.Request.Context(), c.Gw.Own, e, x); err != nil {
		return err
	}
	c.Wrote = true
	return nil
}

// look reads the queue after a position, up to the size of one batch. Entries with the same sequence stay together,
// because a position cannot be between them.
func look(c *core.Call, session string, behind func(*projections.Set) (uint64, []projections.QueueEntry)) (batch,
	error) {
	var after uint64
	var found []projections.QueueEntry
	if err := c.Read(session, func(s *projections.Set) { after, found = behind(s) }); err != nil {
		return batch{}, err
	}
	out := batch{Events: []json.RawMessage{}, Through: after}
	size := 0
	for i, entry := range found {
		raw, err := json.Marshal(entry)
		if err != nil {
			return batch{}, err
		}
		size += len(raw)
		full := len(out.Events) >= c.Gw.Cfg.Limits.Batch || size > c.Gw.Cfg.Limits.BatchBytes
		if i > 0 && full && entry.Seq != out.Through {
			out.More = true
			break
		}
		out.Events = append(out.Events, raw)
		out.Through = entry.Seq
	}
	return out, nil
}
