package approval

import (
	"encoding/json"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
)

// modelAsks asks a person what a model wants to know. No rule answers it. The ticket's later attempts
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
		Round: p.Round, Args: args, Note: `Answer yes or no, or yes with {"answer": "…"} as arguments.`}
	if t := s.taintOf(p.Ticket, p.Attempt); t != nil {
		a.Taint = t.list()
		a.Note += " The model has read what nobody vouches for (" + strings.Join(a.Taint, "; ") + ")."
	}
	s.passes(conversation{ticket: p.Ticket, attempt: p.Attempt}, conversation{ticket: p.Ticket})
	s.raise(e, a)
}

// settleQuestion passes on a person's answer; an ask that nobody answered has none.
func (s *State) settleQuestion(a *ask, out events.AskSettled) {
	p := events.QuestionAnswered{Ticket: a.ticket, Attempt: a.attempt, Round: a.round, By: out.By, Ask: out.Ask}
	if _, answered := s.cause.Payload.(events.AskAnswered); answered {
		p.Answer = wordsOf(out)
	} else {
		p.Reason = out.Reason
	}
	s.owe(p)
}

// wordsOf returns what a person answered to a question: the answer of the arguments, else yes or
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

// answerOf returns the answer that a person wrote, or "".
func answerOf(args json.RawMessage) string {
	var v struct {
		Answer string `json:"answer"`
	}
	if len(args) > 0 {
		read(args, &v)
	}
	return v.Answer
}
