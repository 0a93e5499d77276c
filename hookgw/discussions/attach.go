package discussions

import (
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// Hand publishes work of a person, with a discussion attached to it as it reads now; an empty name attaches none. to is
// the ticket that the work is about; empty: the work is new.
func Hand(c *core.Call, session string, work events.Payload, to, discussion string) (events.Event, error) {
	e, err := c.Stamp(c.Gw.Person, session, work)
	if err != nil {
		return e, err
	}
	if discussion != "" {
		if to == "" {
			to = e.ID
		}
		if err := attach(c, session, events.TalkAttached{To: to, Discussion: discussion}); err != nil {
			return e, err
		}
	}
	if e.Seq, err = c.Gw.Append(c.Request.Context(), c.Gw.Person, e, nil); err != nil {
		return e, err
	}
	c.Wrote = true
	return e, c.Gw.CaughtUp(c.Request.Context(), e.Seq)
}

func attach(c *core.Call, session string, p events.TalkAttached) error {
	known, old := false, false
	if err := c.Read(session, func(s *projections.Set) {
		p.Entries, known = s.TurnEntries(p.Discussion)
		old = s.Settings().Basis.Decision(events.ActorContributor) < 3
	}); err != nil {
		return err
	}
	err := p.Check()
	var large events.LimitError
	switch {
	case !known:
		return problem.New(http.StatusNotFound, "there is no such discussion", "GET /api/discussions lists them.")
	case old:
		return problem.New(http.StatusConflict, "the session decides as an older program did, which attaches no discussions",
			"POST /api/sessions/upgrade takes it to this one.")
	case errors.As(err, &large):
		return problem.New(http.StatusRequestEntityTooLarge, err.Error(),
			"Nothing was changed. Delete or shorten entries, or begin a take with those that matter.")
	case err != nil:
		return problem.New(http.StatusConflict, err.Error(), "Nothing was changed. Say something in the discussion, or leave "+
			"it out.")
	}
	_, err = c.PublishAsPerson(session, p)
	return err
}
