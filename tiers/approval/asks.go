package approval

import (
	"encoding/json"
	"time"

	"manualslop/events"
)

// MaxAskWait bounds how long /api/ask may wait.
const MaxAskWait = 24 * time.Hour

// ask is one question and how it ended.
type ask struct {
	raised  events.AskRaised
	settled *events.AskSettled
	prompt  string // spawn: the prompt as requested
}

// raise puts a question. Its id derives from its cause, so that no two asks of
// any session share one.
func (s *State) raise(e *events.Event, a events.AskRaised) {
	if a.Ask == "" {
		a.Ask = events.DecidedID("ask-"+a.Gate, *e, 0)
	}
	if a.ExpiresAt == nil && s.settings.GateTimeoutMS > 0 {
		due := e.Time.Add(time.Duration(s.settings.GateTimeoutMS) * time.Millisecond)
		a.ExpiresAt = &due
	}
	s.owe(a)
}

// spawn judges the start of a ticket.
func (s *State) spawn(e *events.Event, p events.SpawnRequested) {
	rule, yes := s.yesToAll()
	if !s.settings.SpawnApproval || yes {
		s.owe(events.SpawnApproved{Ticket: p.Ticket, Attempt: p.Attempt, By: byRule(rule, yes)})
		return
	}
	s.raise(e, events.AskRaised{Gate: events.GateSpawn, Title: "start " + p.Ticket + " on " + p.Model, Ticket: p.Ticket,
		Attempt: p.Attempt, Args: object("prompt", p.Prompt)})
}

// step judges a round in step mode.
func (s *State) step(e *events.Event, p events.StepRequested) {
	if rule, yes := s.yesToAll(); yes {
		s.owe(events.StepApproved{Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round, By: byRule(rule, yes)})
		return
	}
	s.raise(e, events.AskRaised{Gate: events.GateStep, Title: p.Summary, Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round})
}

func byRule(r events.Rule, yes bool) string {
	if yes {
		return "rule " + ruleName(r)
	}
	return "rule"
}

func object(key, value string) json.RawMessage {
	b, err := json.Marshal(map[string]string{key: value})
	if err != nil {
		panic("approval: " + err.Error()) // two strings
	}
	return b
}

// posted raises a program's question, once per request id.
func (s *State) posted(e *events.Event, p events.AskPosted) {
	if p.RequestID == "" || len(p.RequestID) > events.MaxIDLength || s.asks[p.RequestID] != nil {
		return
	}
	wait := time.Duration(p.TimeoutMS) * time.Millisecond
	if wait <= 0 {
		wait = time.Duration(s.settings.AskTimeoutMS) * time.Millisecond
	}
	due := e.Time.Add(min(wait, MaxAskWait))
	s.raise(e, events.AskRaised{Ask: p.RequestID, Gate: events.GateHTTP, Title: "asked by " + e.Actor, Args: p.Data,
		PostedBy: e.Actor, ExpiresAt: &due})
}

// answered counts an answer, or tells its author why it does not count.
func (s *State) answered(e *events.Event, p events.AskAnswered) {
	a := s.asks[p.Ask]
	if why := s.invalid(a, p); why != "" {
		s.refuse(e, p.Ask, why)
		return
	}
	s.settle(a, events.AskSettled{Outcome: p.Decision, By: e.Actor, AnswerID: e.ID, Reason: p.Reason, Args: p.Args, Response: p.Response, At: e.Time})
}

// invalid is why an answer never counts, empty when it does.
func (s *State) invalid(a *ask, p events.AskAnswered) string {
	switch {
	case a == nil:
		return "there is no such ask"
	case a.settled != nil:
		return "it was settled before"
	case p.Decision != events.Yes && p.Decision != events.No:
		return `decision is neither "yes" nor "no"`
	case len(p.Args) > 0 && p.Decision != events.Yes:
		return "args come only with yes"
	case len(p.Response) > 0 && a.raised.Gate != events.GateHTTP:
		return "response is for asks of /api/ask only"
	case len(p.Args) > 0:
		return s.badEdit(a, p.Args)
	}
	return ""
}

// badEdit checks a payload that a person changed.
func (s *State) badEdit(a *ask, args json.RawMessage) string {
	switch a.raised.Gate {
	case events.GateTool:
		c := s.calls[a.raised.Call]
		if bad := c.tool.check(args); bad != "" {
			return "the edited arguments do not fit: " + bad
		}
		if _, err := events.CanonicalDigest(args); err != nil {
			return "the edited arguments have no canonical form"
		}
		return ""
	case events.GateSpawn:
		if promptOf(args) == "" {
			return `args must be {"prompt": "…"}`
		}
		return ""
	case events.GateInterrupted:
		if r := resolutionOf(args); r != events.InterruptRetry && r != events.InterruptDone && r != events.InterruptFail {
			return `args must be {"resolution": "retry"}, "done" or "fail"`
		}
		return ""
	}
	return "this ask takes no args"
}

func promptOf(args json.RawMessage) string {
	var v struct{ Prompt string }
	if json.Unmarshal(args, &v) != nil {
		return ""
	}
	return v.Prompt
}

func resolutionOf(args json.RawMessage) string {
	var v struct{ Resolution string }
	if json.Unmarshal(args, &v) != nil {
		return ""
	}
	return v.Resolution
}

// fired settles an ask whose time is over as a no.
func (s *State) fired(e *events.Event, p events.TimerFired) {
	a := s.asks[p.Ask]
	if a == nil || a.settled != nil || a.raised.ExpiresAt == nil || p.Due.Before(*a.raised.ExpiresAt) {
		return
	}
	s.settle(a, events.AskSettled{Outcome: events.Expired, By: e.Actor, AnswerID: e.ID, Reason: "nobody answered in time", At: e.Time})
}

// refuse tells the author of an answer why it does not count.
func (s *State) refuse(e *events.Event, id, why string) {
	r := events.AnswerRefused{Ask: id, AnswerID: e.ID, Author: e.Actor, Reason: why}
	if a := s.asks[id]; a != nil && a.settled != nil {
		at := a.settled.At
		r.SettledBy, r.SettledAt = a.settled.By, &at
	}
	s.owe(r)
}

// unreadable answers an answer that cannot be read, or whose author may not give one.
func (s *State) unreadable(e *events.Event, p events.Malformed) {
	if p.Name == (events.AskAnswered{}).EventType().Name {
		s.refuse(e, e.Corr, p.Reason)
	}
}
