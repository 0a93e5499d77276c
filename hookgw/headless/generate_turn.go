package headless

import (
	"encoding/json"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// newTurn reads a body that sends a message to a discussion, and how long the client waits.
func newTurn(c *core.Call) (want events.TurnRequested, limit time.Duration, err error) {
	if p := c.Only("discussion", "prompt", "tier", "persona", "model", "timeout_s"); p != nil {
		return want, 0, p
	}
	var body generateBody
	if json.Unmarshal(c.Body, &body) != nil {
		return want, 0, problem.New(http.StatusBadRequest, "a member of the body has the wrong type",
			`Send {"discussion": "main", "prompt": "what you want to say"}; tier is a number, the others are strings.`)
	}
	want = events.TurnRequested{Text: body.Prompt, Tier: body.Tier, Persona: body.Persona, Model: body.Model}
	if body.Discussion != nil {
		want.Discussion = *body.Discussion
	}
	limit, err = patience(c)
	return want, limit, err
}

// answerTurn asks the model of a discussion and waits for its answer. The turn continues when the client disconnects
// or the time limit is reached.
func answerTurn(c *core.Call, session string, want events.TurnRequested, limit time.Duration) error {
	want, err := discussions.Turn(c, session, want)
	if err != nil {
		return err
	}
	e, err := c.PublishAsPerson(session, want)
	if err != nil {
		return err
	}
	turn := events.TurnTicket(e.ID)
	if err := awaitEnd(c, session, turn, limit); err != nil {
		return err
	}
	out := wire.Generated{Status: "ok", Ticket: turn, StreamID: events.DiscussionStream(want.Discussion)}
	if err := c.Read(session, func(s *projections.Set) { readTurn(&out, s, turn) }); err != nil {
		return err
	}
	if out.Outcome == events.TurnRefused {
		return problem.New(http.StatusConflict, out.Reason, "Nothing was sent to a model.")
	}
	return c.Reply(http.StatusOK, out)
}

// readTurn fills in how a turn ended.
func readTurn(g *wire.Generated, s *projections.Set, turn string) {
	t, _ := s.Turn(turn)
	g.Outcome, g.Reason, g.Provider, g.Model, g.Rounds = t.Outcome, t.Reason, t.Provider, t.Model, t.Round
	g.Discussion, g.Entry = t.Discussion, t.Answer
	if t.Ended != nil {
		g.DurationMS = t.Ended.Sub(t.At).Milliseconds()
	}
	if u := s.Cost().Ticket[turn]; u != nil {
		g.Usage = *u
	}
	entries, _ := s.DiscussionEntries(t.Discussion)
	for _, n := range entries {
		if n.ID == t.Answer {
			g.Text = n.Entry.Content
		}
	}
}
