package discussions

import (
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// Hand publishes work for the team with a discussion attached to it in its current state; an empty name attaches
// none. to is the ticket that the work belongs to, or empty for new work.
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

// openRequest names a ticket whose conversation becomes a discussion.
type openRequest struct {
	Ticket string `json:"ticket"`
	Name   string `json:"name,omitempty"` // of the discussion; empty: the ticket's id, or a take of it
}

func postOpen(c *core.Call) error {
	var want openRequest
	if err := c.Decode(&want, `{"ticket": "T-003"}`); err != nil {
		return err
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	if err := Held(c, session, want.Ticket); err != nil {
		return err
	}
	if err := c.Read(session, func(s *projections.Set) {
		if want.Name == "" {
			want.Name = s.FreeDiscussion(want.Ticket)
		}
	}); err != nil {
		return err
	}
	if err := checkName(want.Name); err != nil {
		return err
	}
	_, err = AboutDiscussion(c, session, events.ConversationOpened{Ticket: want.Ticket, Discussion: want.Name})
	return doneWith(c, discussionAnswer{Name: want.Name}, err)
}

// Held returns an error if a user cannot take over the conversation of a ticket.
func Held(c *core.Call, session, ticket string) error {
	reason := ""
	if err := c.Read(session, func(s *projections.Set) { reason = s.Held(ticket) }); err != nil || reason == "" {
		return err
	}
	return problem.New(http.StatusConflict, reason, "Nothing was changed. POST /api/control kills a running ticket or "+
		"gives it a note; GET /api/tickets lists all.")
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
		return problem.New(http.StatusNotFound, "no such discussion", "GET /api/discussions lists them.")
	case old:
		return problem.New(http.StatusConflict, "the session uses the decisions of an older program, which cannot "+
			"attach discussions",
			"Upgrade it with POST /api/sessions/upgrade.")
	case errors.As(err, &large):
		return problem.New(http.StatusRequestEntityTooLarge, err.Error(),
			"Nothing was changed. Delete or shorten entries, or start a take with the entries that matter.")
	case err != nil:
		return problem.New(http.StatusConflict, err.Error(), "Nothing was changed. Add a message to the discussion, "+
			"or leave discussion out.")
	}
	_, err = c.PublishAsPerson(session, p)
	return err
}
