package approval

import (
	"encoding/json"
	"strconv"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
)

// modelAsks asks a user what a model wants to know. No rule answers it. The ticket's later attempts
// read the question.
func (s *State) modelAsks(e *events.Event, p events.QuestionRequested) {
	if s.over(p.Ticket, p.Attempt) {
		s.owe(events.QuestionAnswered{Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round, By: "engine",
			Reason: killedReason})
		return
	}
	args, err := json.Marshal(struct {
		Question string   `json:"question"`
		Choices  []string `json:"choices,omitempty"`
	}{p.Text, p.Choices})
	if err != nil {
		panic("approval: " + err.Error()) // strings cannot fail
	}
	a := events.AskRaised{Gate: events.GateQuestion, Title: firstLine(p.Text), Ticket: p.Ticket, Attempt: p.Attempt,
		Round: p.Round, Args: args, Note: "Answer with text or one of the choices; answer no if you do not want to answer."}
	if t := s.taintOf(p.Ticket, p.Attempt); t != nil {
		a.Taint = t.list()
		a.Note += " The model has read untrusted text (" + strings.Join(a.Taint, "; ") + ")."
	}
	s.passes(conversation{ticket: p.Ticket, attempt: p.Attempt}, conversation{ticket: p.Ticket})
	s.raise(e, a)
}

// settleQuestion passes on a user's answer; an ask that nobody answered has none.
func (s *State) settleQuestion(a *ask, out events.AskSettled) {
	p := events.QuestionAnswered{Ticket: a.ticket, Attempt: a.attempt, Round: a.round, By: out.By, Ask: out.Ask}
	if _, answered := s.cause.Payload.(events.AskAnswered); answered {
		p.Answer = wordsOf(out)
	} else {
		p.Reason = out.Reason
	}
	s.owe(p)
}

// planProposed asks a user about a plan. No rule answers it.
func (s *State) planProposed(e *events.Event, p events.PlanProposed) {
	a := events.AskRaised{Gate: events.GatePlan, Title: "plan of " + p.Track + ": " + tickets(len(p.Tickets)),
		Args: encoded(planArgs{p.Tickets}),
		Note: "Yes starts work on these tickets, or on others given as arguments; no with a reason asks for another plan."}
	if p.Fault != "" {
		a.Note = "The tickets that you wrote cannot be planned: " + p.Fault + ". " + a.Note
	}
	s.plans[s.raise(e, a)] = events.PlanAnswered{Plan: e.ID, Track: p.Track}
}

type planArgs struct {
	Tickets []events.Ticket `json:"tickets"`
}

func tickets(n int) string {
	if n == 1 {
		return "1 ticket"
	}
	return strconv.Itoa(n) + " tickets"
}

// settlePlan passes on the answer to a plan.
func (s *State) settlePlan(a *ask, out events.AskSettled) {
	p := s.plans[a.id]
	delete(s.plans, a.id)
	p.Outcome, p.Reason, p.By, p.Ask = out.Outcome, out.Reason, out.By, out.Ask
	if out.Outcome == events.Expired { // the reason is nobody's, so it asks for no other plan
		p.Outcome, p.Reason = events.No, ""
	}
	var edited planArgs
	read(out.Args, &edited)
	p.Tickets = edited.Tickets
	s.owe(p)
}

// badPlan checks that the arguments of an answer hold tickets with ids. Tier 2 checks the graph.
func badPlan(args json.RawMessage) string {
	var edited planArgs
	read(args, &edited)
	if len(edited.Tickets) == 0 {
		return `args must be {"tickets": [{"id": "…", "description": "…", "depends_on": ["…"]}, …]}`
	}
	for _, t := range edited.Tickets {
		if t.ID == "" || chars.Trim(t.Description) == "" {
			return "each ticket must have an id and a description"
		}
	}
	// It is recorded as given, and with every member of a ticket.
	if n := max(len(args), len(encoded(edited))); n > MaxPlan {
		return tooLong("the edited plan", n, MaxPlan)
	}
	return ""
}

// wordsOf returns what a user answered to a question: the answer of the arguments, else yes or
// no with the reason.
func wordsOf(out events.AskSettled) string {
	if text := answerOf(out.Args); text != "" {
		return text
	}
	if out.Reason != "" {
		return out.Outcome + ": " + out.Reason
	}
	return out.Outcome
}

// badAnswer checks the arguments of an answer to a question.
func badAnswer(args json.RawMessage) string {
	text := answerOf(args)
	if chars.Trim(text) == "" {
		return `args must be {"answer": "…"}`
	}
	if len(text) > MaxReason {
		return tooLong("the answer", len(text), MaxReason)
	}
	return ""
}

// answerOf returns the answer that a user wrote, or "".
func answerOf(args json.RawMessage) string {
	var v struct {
		Answer string `json:"answer"`
	}
	if len(args) > 0 {
		read(args, &v)
	}
	return v.Answer
}
