package discussions

import (
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// compactBody is the body of POST /api/discussions/compact.
type compactBody struct {
	Discussion string `json:"discussion,omitempty"` // empty: the active one
	Text       string `json:"text,omitempty"`       // what to keep, in the user's words
	// Keep is the number of the last entries that stay as they are; none: those from the user's last message on.
	Keep    *int   `json:"keep,omitempty"`
	Tier    int    `json:"tier,omitempty"`    // who summarises, 1 to 4; none: tier 3
	Persona string `json:"persona,omitempty"` // of the session's roster, instead of the tier's
	Model   string `json:"model,omitempty"`   // instead of the tier's
}

// compactAnswer says what is being summarised and where the result will appear.
type compactAnswer struct {
	Status     string `json:"status"`
	Discussion string `json:"discussion"`
	Turn       string `json:"turn"`      // the ticket id of its request; GET /api/discussions/turns says how it ends
	Entries    int    `json:"entries"`   // that the summary will replace
	StreamID   string `json:"stream_id"` // of the summary's live text
}

// postCompact asks the model of a discussion for a summary and does not wait for it.
func postCompact(c *core.Call) error {
	var want compactBody
	if err := c.Decode(&want, `{"text": "Keep the names of files."}`); err != nil {
		return err
	}
	keep := projections.LastExchange
	if want.Keep != nil {
		if keep = *want.Keep; keep < 0 {
			return problem.New(http.StatusBadRequest, "keep must be a number, 0 or more",
				"Leave it out to keep everything from the user's last message on.")
		}
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	p, err := Compact(c, session, events.TurnRequested{Discussion: want.Discussion, Text: want.Text, Tier: want.Tier,
		Persona: want.Persona, Model: want.Model}, keep)
	if err != nil {
		return err
	}
	e, err := c.PublishAsPerson(session, p)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, compactAnswer{"ok", p.Discussion, events.TurnTicket(e.ID), len(p.Entries),
		events.DiscussionStream(p.Discussion)})
}

// Compact returns a turn that replaces all but the last entries of a discussion with a summary; see
// [projections.Set.CompactEntries]. It returns an error if no model can summarise them.
func Compact(c *core.Call, session string, want events.TurnRequested, keep int) (events.TurnRequested, error) {
	want.Compact = true
	return turn(c, session, want, func(s *projections.Set, name string) ([]events.TurnEntry, bool) {
		return s.CompactEntries(name, keep)
	})
}
