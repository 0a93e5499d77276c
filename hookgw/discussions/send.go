package discussions

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// sendBody is the body of POST /api/discussions/send.
type sendBody struct {
	Discussion string `json:"discussion,omitempty"` // empty: the active one
	Text       string `json:"text"`
	Tier       int    `json:"tier,omitempty"`    // who answers, 1 to 4; none: tier 3
	Persona    string `json:"persona,omitempty"` // of the session's roster, instead of the tier's
	Model      string `json:"model,omitempty"`   // instead of the tier's
}

// sendAnswer says what was sent and where the answer will appear.
type sendAnswer struct {
	Status     string `json:"status"`
	Discussion string `json:"discussion"`
	Turn       string `json:"turn"`      // the ticket id of its requests, calls and asks
	Entry      string `json:"entry"`     // of the user's words
	StreamID   string `json:"stream_id"` // of the answer's live text
}

// turnList is the answer of GET /api/discussions/turns.
type turnList struct {
	Turns []projections.Turn `json:"turns"` // as they were asked
}

// postSend asks the model of a discussion and does not wait for its answer.
func postSend(c *core.Call) error {
	var want sendBody
	if err := c.Decode(&want, `{"text": "What does main.go do?"}`); err != nil {
		return err
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	p, err := Turn(c, session, events.TurnRequested{Discussion: want.Discussion, Text: want.Text, Tier: want.Tier,
		Persona: want.Persona, Model: want.Model})
	if err != nil {
		return err
	}
	e, err := c.PublishAsPerson(session, p)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, sendAnswer{"ok", p.Discussion, events.TurnTicket(e.ID), e.ID,
		events.DiscussionStream(p.Discussion)})
}

// Turn returns a turn on the current state of a discussion; an empty name means the active one. It returns an error
// if no model can answer.
func Turn(c *core.Call, session string, want events.TurnRequested) (events.TurnRequested, error) {
	return turn(c, session, want, (*projections.Set).TurnEntries)
}

// turn returns a turn together with the entries of its discussion.
func turn(c *core.Call, session string, want events.TurnRequested, entries func(*projections.Set,
	string) ([]events.TurnEntry, bool)) (events.TurnRequested, error) {
	var known, busy bool
	persona := want.Persona == ""
	err := c.Read(session, func(s *projections.Set) {
		want.Discussion = cmp.Or(want.Discussion, s.ActiveDiscussion())
		want.Entries, known = entries(s, want.Discussion)
		if !want.Compact {
			want.Retrieval = s.Settings().Retrieval.Retrieval()
		}
		for _, t := range s.Turns() {
			busy = busy || t.Discussion == want.Discussion && t.Ended == nil
		}
		if !persona {
			_, persona = s.Settings().Roster.Persona(want.Persona)
		}
	})
	if err != nil {
		return want, err
	}
	switch {
	case !known:
		return want, problem.New(http.StatusNotFound, "no such discussion", "GET /api/discussions lists them.")
	case !persona:
		return want, problem.New(http.StatusBadRequest, "no such persona", "GET /api/gui/state lists personas.")
	case busy:
		return want, problem.New(http.StatusConflict, "the discussion is waiting for the answer to another turn",
			"Wait until that turn ends, or stop it: GET /api/discussions/turns shows it, POST /api/control kills it.")
	}
	return want, checked(want)
}

// Preview is like Turn, but allows a turn without words.
func Preview(c *core.Call, session string, want events.TurnRequested) (events.TurnRequested, error) {
	text := want.Text
	want.Text = cmp.Or(text, "?")
	want, err := Turn(c, session, want)
	want.Text = text
	return want, err
}

// checked returns an error that explains why a turn is impossible.
func checked(want events.TurnRequested) error {
	var large events.LimitError
	switch err := want.Check(); {
	case errors.As(err, &large) && len(want.Text) > events.MaxCompactWords && want.Compact:
		return problem.New(http.StatusRequestEntityTooLarge, err.Error(),
			"Nothing was sent. Describe what to keep in fewer words.")
	case errors.As(err, &large):
		return problem.New(http.StatusRequestEntityTooLarge, err.Error(),
			fmt.Sprintf("Nothing was sent. Delete or shorten entries, begin a take, or put large contents into a file and "+
				"inject it; a turn can have %d entries, with at most %d bytes of imported text.", events.MaxTurnEntries,
				events.MaxTurnInline))
	case err != nil && want.Compact && len(want.Entries) == 0:
		return problem.New(http.StatusConflict, err.Error(), "Nothing was sent. Add messages first, or send a "+
			"smaller keep: the last entries stay as they are.")
	case err != nil:
		return problem.New(http.StatusBadRequest, err.Error(), `Send {"text": "what you want to say"}.`)
	}
	return nil
}
