package hookgw

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
)

// writer is a connection with the rights of one actor.
type writer struct {
	actor string
	log   events.Log
}

// event stamps a payload of this actor.
func (g *Gateway) event(w writer, session string, p events.Payload) (events.Event, error) {
	return events.New(events.Origin{
		ID: g.cfg.NewID(), Time: g.cfg.Clock(), Project: g.cfg.Project, Session: session, Actor: w.actor,
	}, p)
}

// stamp makes an event of what the request says. What follows from a task of the
// GUI names that as its cause.
func (c *call) stamp(w writer, session string, p events.Payload) (events.Event, error) {
	if c.task != nil && session == c.task.queued.Session {
		return c.task.event(w, p)
	}
	return c.gw.event(w, session, p)
}

// append stores e. A client that leaves does not undo it.
func (g *Gateway) append(ctx context.Context, w writer, e events.Event, x *events.Expect) (uint64, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.cfg.Limits.CatchUp)
	defer cancel()
	seq, err := w.log.Append(ctx, e, x)
	if err != nil {
		return 0, fmt.Errorf("append %s as %s: %w", e.Type, w.actor, err)
	}
	return seq, nil
}

// caughtUp waits until the read models have passed seq.
func (g *Gateway) caughtUp(ctx context.Context, seq uint64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.cfg.Limits.CatchUp)
	defer cancel()
	if err := g.cfg.Models.WaitFor(ctx, seq); err != nil {
		return fmt.Errorf("wait for the read models to pass %d: %w", seq, err)
	}
	return nil
}

// askEvent stamps a question or an answer, which must leave room for what
// approval adds when it copies it.
func (g *Gateway) askEvent(w writer, session string, p events.Payload) (events.Event, error) {
	e, err := g.event(w, session, p)
	if err == nil {
		err = g.answerFits(e)
	}
	return e, err
}

// answerFits refuses a question or an answer that is too large.
func (g *Gateway) answerFits(e events.Event) error {
	if len(e.Data) > g.cfg.Limits.AskBytes {
		return problem.Refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("this is over %d bytes", g.cfg.Limits.AskBytes), "Put large contents into a file and name it.")
	}
	return nil
}

// publish stores what the request says and returns once it can be read.
func (c *call) publish(w writer, e events.Event) error {
	seq, err := c.gw.append(c.r.Context(), w, e, nil)
	if err != nil {
		return err
	}
	c.wrote = true
	return c.gw.caughtUp(c.r.Context(), seq)
}

// mask hides secrets in JSON that goes on record. What a mask breaks is not
// recorded at all.
func (g *Gateway) mask(raw json.RawMessage) json.RawMessage {
	masked := g.cfg.Masker(raw)
	if !json.Valid(masked) {
		return json.RawMessage(`"[hidden: masking left no JSON]"`)
	}
	return masked
}

// maskText hides secrets in a text that goes on record or into the operator's log.
func (g *Gateway) maskText(text string) string { return string(g.cfg.Masker([]byte(text))) }
