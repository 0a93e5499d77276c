package request

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
)

// Writer is a connection with the rights of one actor.
type Writer struct {
	// Actor is under whose name events are appended to Log.
	Actor string
	Log   events.Log
}

// Event stamps a payload of this actor.
func (g *Core) Event(w Writer, session string, p events.Payload) (events.Event, error) {
	return events.New(events.Origin{
		ID: g.NewID(), Time: g.Clock(), Project: g.Project, Session: session, Actor: w.Actor,
	}, p)
}

// Stamp makes an event of what the request says.
func (c *Call) Stamp(w Writer, session string, p events.Payload) (events.Event, error) {
	if c.Stamps != nil {
		return c.Stamps(w, session, p)
	}
	return c.Core.Event(w, session, p)
}

// Append stores e. A client that leaves does not undo it.
func (g *Core) Append(ctx context.Context, w Writer, e events.Event, x *events.Expect) (uint64, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.Limits.CatchUp)
	defer cancel()
	seq, err := w.Log.Append(ctx, e, x)
	if err != nil {
		return 0, fmt.Errorf("append %s as %s: %w", e.Type, w.Actor, err)
	}
	return seq, nil
}

// CaughtUp waits until the read models have passed seq.
func (g *Core) CaughtUp(ctx context.Context, seq uint64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.Limits.CatchUp)
	defer cancel()
	if err := g.Models.WaitFor(ctx, seq); err != nil {
		return fmt.Errorf("wait for the read models to pass %d: %w", seq, err)
	}
	return nil
}

// AskEvent stamps a question or an answer, which must leave room for what
// approval adds when it copies it.
func (g *Core) AskEvent(w Writer, session string, p events.Payload) (events.Event, error) {
	e, err := g.Event(w, session, p)
	if err == nil {
		err = g.AnswerFits(e)
	}
	return e, err
}

// AnswerFits refuses a question or an answer that is too large.
func (g *Core) AnswerFits(e events.Event) error {
	if len(e.Data) > g.Limits.AskBytes {
		return problem.Refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("this is over %d bytes", g.Limits.AskBytes),
			"Put large contents into a file and name it.")
	}
	return nil
}

// Publish stores what the request says and returns once it can be read.
func (c *Call) Publish(w Writer, e events.Event) error {
	seq, err := c.Core.Append(c.Request.Context(), w, e, nil)
	if err != nil {
		return err
	}
	c.Wrote = true
	return c.Core.CaughtUp(c.Request.Context(), seq)
}

// Mask hides secrets in JSON that goes on record. What a mask breaks is not
// recorded at all.
func (g *Core) Mask(raw json.RawMessage) json.RawMessage {
	masked := g.Masker(raw)
	if !json.Valid(masked) {
		return json.RawMessage(`"[hidden: masking left no JSON]"`)
	}
	return masked
}

// maskText hides secrets in a text that goes on record or into the operator's log.
func (g *Core) maskText(text string) string { return string(g.Masker([]byte(text))) }
