package headless

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/team"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// generateBody is the body of POST /api/v1/generate.
type generateBody struct {
	team.WorkerBody
	TimeoutS float64 `json:"timeout_s,omitempty"` // seconds, at most the gateway's own limit
}

// postGenerate adds a worker and waits for its end. The worker goes on when the
// client leaves or the time is over; the same request joins it again.
func postGenerate(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	want, limit, err := newGeneration(c)
	if err != nil {
		return err
	}
	select {
	case c.Gw.Slots <- struct{}{}:
		defer func() { <-c.Gw.Slots }()
	default:
		c.Response.Header().Set("Retry-After", "1")
		return problem.New(http.StatusServiceUnavailable, "too many requests are waiting",
			"Wait until some of them are answered.")
	}
	s, err := team.Spawn(c, session, want)
	if err != nil {
		return err
	}
	if err := awaitEnd(c, session, s.Ticket, limit); err != nil {
		return err
	}
	out, err := generated(c, session, s.Ticket)
	if err == nil {
		err = team.RefusedWorker(out.Outcome, out.Reason)
	}
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// newGeneration reads the body: which worker, and how long the client waits.
func newGeneration(c *core.Call) (want events.WorkerSpawnRequested, limit time.Duration, err error) {
	limit = c.Gw.Cfg.Limits.Generate
	if p := c.Only(append(team.WorkerMembers(), "timeout_s")...); p != nil {
		for _, parameter := range []string{"temperature", "top_p", "max_tokens", "max_output_tokens", "provider"} {
			if _, sent := c.Fields[parameter]; sent {
				p.Hint = "It is a setting of the tier: set it with POST /api/gui, for all workers."
			}
		}
		return want, 0, p
	}
	if want, err = team.ReadWorker(c); err != nil {
		return want, 0, err
	}
	raw, named := c.Fields["timeout_s"]
	if !named {
		return want, limit, nil
	}
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || seconds <= 0 || seconds > limit.Seconds() {
		return want, 0, problem.New(http.StatusBadRequest, "timeout_s is not valid", "Send seconds, over 0 and at most "+
			limit.String()+", or leave it out.")
	}
	return want, time.Duration(seconds * float64(time.Second)), nil
}

// awaitEnd waits until the work on a ticket has ended, the client has left, the
// gateway stops or the limit is over.
func awaitEnd(c *core.Call, session, ticket string, limit time.Duration) error {
	ctx, cancel := context.WithCancelCause(c.Request.Context())
	defer cancel(nil)
	timed, end := context.WithTimeout(ctx, limit)
	defer end()
	go func() {
		select {
		case <-c.Gw.Stopping:
			cancel(core.ErrStopping)
		case <-timed.Done():
		}
	}()
	err := c.Gw.Cfg.Models.Await(timed, session, func(s *projections.Set) bool { return ended(s, ticket) })
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), core.ErrStopping):
		return problem.New(http.StatusServiceUnavailable, "the gateway is stopping",
			"The worker goes on: send the same body again, or read GET /api/v1/stream?ticket="+ticket+".").WithTicket(ticket)
	case ctx.Err() == nil && timed.Err() != nil:
		return problem.New(http.StatusGatewayTimeout, "the worker did not end within "+limit.String(),
			"It goes on: send the same body with the same request_id again, read GET /api/v1/stream?ticket="+ticket+
				", see GET /api/v1/pending_actions, or end it with POST /api/mma/workers/kill.").WithTicket(ticket)
	}
	return err
}

// ended tells whether the work on a ticket has come to an end: nothing of it
// goes on by itself.
func ended(s *projections.Set, ticket string) bool {
	if w, ok := s.Spawned(ticket); ok {
		return w.Ended != nil
	}
	t, ok := s.Ticket(ticket)
	return !ok || t.Status == events.StatusCompleted || t.Status == events.StatusBlocked || s.Summary().Closed != nil
}

// generated is how the work on a ticket ended, or stands.
func generated(c *core.Call, session, ticket string) (wire.Generated, error) {
	var out wire.Generated
	err := c.Read(session, func(s *projections.Set) {
		out = wire.Generated{Status: "ok", Ticket: ticket, StreamID: events.WorkerStream(ticket),
			Text: s.StreamReply(events.WorkerStream(ticket))}
		if u := s.Cost().Ticket[ticket]; u != nil {
			out.Usage = *u
		}
		if w, ok := s.Spawned(ticket); ok {
			out.Outcome, out.Reason, out.Provider, out.Model, out.RequestID, out.Rounds = w.Outcome, w.Reason, w.Provider,
				w.Model, w.RequestID, w.Round
			if w.Ended != nil {
				out.DurationMS = w.Ended.Sub(w.At).Milliseconds()
			}
			return
		}
		readTicket(&out, s, ticket)
	})
	return out, err
}

// readTicket fills in how a ticket ended that was planned.
func readTicket(g *wire.Generated, s *projections.Set, ticket string) {
	g.Outcome = projections.WorkerRemoved
	for _, t := range s.Tickets() {
		if t.ID != ticket {
			continue
		}
		g.Outcome, g.Model = t.Status, t.Model
		if t.BlockKind != "" {
			g.Outcome = t.BlockKind
		}
		if t.BlockedReason != nil {
			g.Reason = *t.BlockedReason
		}
		if t.Started != nil && t.Ended != nil {
			g.DurationMS = t.Ended.Sub(*t.Started).Milliseconds()
		}
	}
}
