package request

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// Writer is a connection with the rights of one actor.
type Writer struct {
	// Actor is the name under which events are appended to Log.
	Actor string
	Log   events.Log
}

// Event creates an event of this actor with a payload.
func (g *Core) Event(w Writer, session string, p events.Payload) (events.Event, error) {
	return events.New(events.Origin{
		ID: g.NewID(), Time: g.Clock(), Project: g.Project, Session: session, Actor: w.Actor,
	}, p)
}

// Stamp creates an event of the request.
func (c *Call) Stamp(w Writer, session string, p events.Payload) (events.Event, error) {
	if c.Stamps != nil {
		return c.Stamps(w, session, p)
	}
	return c.Core.Event(w, session, p)
}

// Append stores e, even if the client disconnects.
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

// AskEvent creates the event of a question or an answer, and checks that it leaves room for the data that approval
// adds when it copies the event.
func (g *Core) AskEvent(w Writer, session string, p events.Payload) (events.Event, error) {
	e, err := g.Event(w, session, p)
	if err == nil {
		err = g.AnswerFits(e)
	}
	return e, err
}

// AnswerFits rejects a question or an answer that is too large.
func (g *Core) AnswerFits(e events.Event) error {
	if len(e.Data) > g.Limits.AskBytes {
		return problem.New(http.StatusRequestEntityTooLarge, fmt.Sprintf("the content is over the limit of %d "+
			"bytes", g.Limits.AskBytes),
			"Write large content to a file and send its path.")
	}
	return nil
}

// Publish stores an event of the request and returns once it can be read.
func (c *Call) Publish(w Writer, e events.Event) error {
	seq, err := c.Core.Append(c.Request.Context(), w, e, nil)
	if err != nil {
		return err
	}
	c.Wrote = true
	return c.Core.CaughtUp(c.Request.Context(), seq)
}

// Mask hides secrets in JSON that is recorded. JSON that becomes invalid by masking is not recorded at all.
func (g *Core) Mask(raw json.RawMessage) json.RawMessage {
	masked := g.Masker(raw)
	if !json.Valid(masked) {
		return json.RawMessage(`"[hidden: masking left no JSON]"`)
	}
	return masked
}

// maskText hides secrets in a text that is recorded or written to the operator's log.
func (g *Core) maskText(text string) string { return string(g.Masker([]byte(text))) }

// PublishAsPerson publishes an event of the user and returns it, with its sequence, once the read models have passed
// it.
func (c *Call) PublishAsPerson(session string, p events.Payload) (events.Event, error) {
	e, err := c.Stamp(c.Core.Person, session, p)
	if err != nil {
		return events.Event{}, err
	}
	if e.Seq, err = c.Core.Append(c.Request.Context(), c.Core.Person, e, nil); err != nil {
		return events.Event{}, err
	}
	c.Wrote = true
	return e, c.Core.CaughtUp(c.Request.Context(), e.Seq)
}

// Done answers that the request took effect, or returns err.
func (c *Call) Done(err error) error {
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, StatusAnswer{"ok"})
}

// NotYet is the hint for a request that was not answered in time.
const NotYet = "The request is recorded; the conductor has not answered yet. GET /api/gui/mma_status shows the " +
	"outcome."

// Answered waits until the conductor's answer to e can be read. It returns false if there is none in time, and a
// *problem.Problem if the conductor rejected the request.
func (c *Call) Answered(e events.Event, typ string) (bool, error) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), c.Core.Limits.SettleWait)
	defer cancel()
	for got, err := range c.Core.Models.Subscribe(ctx, e.Session, e.Seq+1) {
		if err != nil {
			break
		}
		if got.Actor != events.ActorConductor || got.Cause != e.ID {
			continue
		}
		if p, refused := got.Payload.(events.ControlRefused); refused {
			return false, problem.New(http.StatusConflict, p.Reason, "Nothing was changed; GET /api/gui/mma_status shows "+
				"the current state.")
		}
		if got.Type == typ {
			return true, c.Core.CaughtUp(c.Request.Context(), got.Seq)
		}
	}
	return false, nil
}

// Decode parses the masked body into want. It rejects members that want does not have.
func (c *Call) Decode(want any, example string) error {
	dec := json.NewDecoder(bytes.NewReader(c.Core.Mask(c.Body)))
	dec.DisallowUnknownFields()
	err := dec.Decode(want)
	if err == nil {
		if _, rest := dec.Token(); !errors.Is(rest, io.EOF) {
			err = rest
		}
	}
	if err != nil {
		return problem.New(http.StatusBadRequest, "the body is not valid: "+Clip(err.Error(), 200), "Send "+example+".")
	}
	return nil
}

// Refusal returns why an event changed nothing, or nil if it did.
type Refusal func(s *projections.Set, id string) string

// PublishChecked publishes an event of the user. It returns an error if a read model rejected the event because of an
// earlier one that the client had not seen.
func (c *Call) PublishChecked(session string, p events.Payload, why Refusal) (events.Event, error) {
	e, err := c.PublishAsPerson(session, p)
	if err != nil {
		return e, err
	}
	return e, c.Counts(session, e.ID, why)
}

// Counts returns an error if a read model rejected an event. A stopped read model rejects nothing: the event is
// recorded, and takes effect when the model continues.
func (c *Call) Counts(session, id string, why Refusal) error {
	reason := ""
	err := c.Read(session, func(s *projections.Set) { reason = why(s, id) })
	var stopped *projections.StoppedError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	if reason != "" {
		return problem.New(http.StatusConflict, reason, "Nothing was changed; read the state and send it again.")
	}
	return nil
}

// StatusAnswer is the answer to a write that has nothing else to report.
type StatusAnswer struct {
	Status string `json:"status"`
}

// HintedAnswer is the answer to a write that is recorded but not answered yet.
type HintedAnswer struct {
	Status string `json:"status"`
	Hint   string `json:"hint"`
}
