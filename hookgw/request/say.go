package request

import (
	"context"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
)

// Say publishes the person's word and returns it, with its sequence, once it
// can be read.
func (c *Call) Say(session string, p events.Payload) (events.Event, error) {
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

// Done answers that the request took effect, unless err says otherwise.
func (c *Call) Done(err error) error {
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, StatusAnswer{"ok"})
}

// NotYet is what a client is told whose request nobody answered in time.
const NotYet = "The request is on record; the conductor has not answered yet. GET /api/gui/mma_status shows what " +
	"came of it."

// Answered waits for the fact by which the conductor answers e, until it can be
// read. False without one in time; a refusal is a *problem.
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
			return false, problem.Refuse(http.StatusConflict, p.Reason, "Nothing was changed; GET /api/gui/mma_status shows "+
				"how things stand.")
		}
		if got.Type == typ {
			return true, c.Core.CaughtUp(c.Request.Context(), got.Seq)
		}
	}
	return false, nil
}
