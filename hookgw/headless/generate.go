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
	// Discussion makes the prompt a turn of that discussion; empty: of the active
	// one. Of the other members only tier, persona, model and timeout_s are allowed.
	Discussion *string `json:"discussion,omitempty"`
	Tier       int     `json:"tier,omitempty"`      // who answers in a discussion, 1 to 4; none: tier 3
	TimeoutS   float64 `json:"timeout_s,omitempty"` // seconds, at most the gateway's own limit
}

// postGenerate adds a worker and waits for it to end. The worker continues when the client disconnects or the time
// limit is reached; repeating the same request joins it again.
func postGenerate(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	_, talks := c.Fields["discussion"]
	var work events.WorkerSpawnRequested
	var talk events.TurnRequested
	var limit time.Duration
	if talks {
		talk, limit, err = newTurn(c)
	} else {
		work, limit, err = newGeneration(c)
	}
	if err != nil {
		return err
	}
	select {
	case c.Gw.Slots <- struct{}{}:
		defer func() { <-c.Gw.Slots }()
	default:
		c.Response.Header().Set("Retry-After", "1")
		return problem.New(http.StatusServiceUnavailable, "too many requests are waiting",
			"Try again when some of them have been answered.")
	}
	if talks {
		return answerTurn(c, session, talk, limit)
	}
	s, err := team.Spawn(c, session, work, "")
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

// newGeneration parses the body: the worker, and how long the client waits.
func newGeneration(c *core.Call) (want events.WorkerSpawnRequested, limit time.Duration, err error) {
	if p := c.Only(append(team.WorkerMembers(), "timeout_s")...); p != nil {
		for _, parameter := range []string{"temperature", "top_p", "max_tokens", "max_output_tokens", "provider"} {
			if _, sent := c.Fields[parameter]; sent {
				p.Hint = "It belongs to the tier; set it for all workers with POST /api/gui."
			}
		}
		return want, 0, p
	}
	if want, err = team.ReadWorker(c); err == nil {
		limit, err = patience(c)
	}
	return want, limit, err
}

// patience returns how long the client waits.
func patience(c *core.Call) (time.Duration, error) {
	limit := c.Gw.Cfg.Limits.Generate
	raw, named := c.Fields["timeout_s"]
	if !named {
		return limit, nil
	}
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || seconds <= 0 || seconds > limit.Seconds() {
		return 0, problem.New(http.StatusBadRequest, "timeout_s is not valid", "Send seconds, over 0 and at most "+
			limit.String()+", or leave it out.")
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// awaitEnd waits until the work on a ticket has ended, the client has disconnected, the gateway stops or the time
// limit is reached.
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
			"The work continues; "+howToFollow(ticket)).WithTicket(ticket)
	case ctx.Err() == nil && timed.Err() != nil:
		return problem.New(http.StatusGatewayTimeout, "the work did not finish within "+limit.String(),
			"It continues; "+howToFollow(ticket)).WithTicket(ticket)
	}
	return err
}

// howToFollow returns instructions for a client that no longer waits, so that it can learn the outcome.
func howToFollow(ticket string) string {
	if events.IsTurn(ticket) {
		return "GET /api/discussions/turns shows when it ends, and GET /api/v1/pending_actions what it waits for; POST /api/control " +
			"kills it. Do not send the body again: that would repeat the message."
	}
	return "send the same body with the same request_id again, read GET /api/v1/stream?ticket=" + ticket +
		", see GET /api/v1/pending_actions, or end it with POST /api/mma/workers/kill."
}

// ended reports whether the work on a ticket has ended, so that none of it continues by itself.
func ended(s *projections.Set, ticket string) bool {
	if t, ok := s.Turn(ticket); ok {
		return t.Ended != nil
	}
	if w, ok := s.Spawned(ticket); ok {
		return w.Ended != nil
	}
	t, ok := s.Ticket(ticket)
	return !ok || t.Status == events.StatusCompleted || t.Status == events.StatusBlocked || s.Summary().Closed != nil
}

// generated returns how the work on a ticket ended, or its current state.
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

// readTicket fills in how a planned ticket ended.
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
