package approval

import (
	"bytes"
	"encoding/json"
	"fmt"

	"manualslop/events"
	"manualslop/tiers"
)

// answered accepts an answer, or tells its author why it is invalid.
func (s *State) answered(e *events.Event, p events.AskAnswered) {
	p.Args, p.Response = stored(p.Args), stored(p.Response)
	if string(p.Args) == "null" {
		p.Args = nil
	}
	a := s.asks[p.Ask]
	if why := s.invalid(a, p); why != "" {
		s.refuse(e, p.Ask, why)
		return
	}
	if s.checks(e, a, p) {
		return
	}
	s.accept(e, a, p)
}

// accept settles an ask with a valid answer, whose event may be earlier than the one that is being folded.
func (s *State) accept(e *events.Event, a *ask, p events.AskAnswered) {
	s.cause = e
	s.settle(a, events.AskSettled{Outcome: p.Decision, By: e.Actor, AnswerID: e.ID, Reason: p.Reason, Args: p.Args,
		Response: p.Response, At: e.Time})
}

const alreadySettled = "it was settled before"

// invalid returns why an answer is invalid, or "".
func (s *State) invalid(a *ask, p events.AskAnswered) string {
	switch {
	case a == nil:
		return "there is no such ask"
	case a.settled != nil:
		return alreadySettled
	case p.Decision != events.Yes && p.Decision != events.No:
		return `decision is neither "yes" nor "no"`
	case p.Decision == events.Yes && s.tried(a) != nil:
		return "an answer by " + s.tried(a).Actor + " is being tried; until then only a no is accepted"
	case len(p.Reason) > MaxReason:
		return tooLong("the reason", len(p.Reason), MaxReason)
	case len(p.Args) > 0 && p.Decision != events.Yes:
		return "args come only with yes"
	case len(p.Response) > 0 && a.gate != events.GateHTTP:
		return "response is for asks of /api/ask only"
	case len(p.Response) > MaxPosted:
		return tooLong("the response", len(p.Response), MaxPosted)
	case len(p.Args) > 0:
		return s.badEdit(a, p.Args)
	}
	return ""
}

func tooLong(what string, n, most int) string {
	return fmt.Sprintf("%s of %d bytes is over the limit of %d", what, n, most)
}

// badEdit returns why arguments that a user edited are invalid, or "".
func (s *State) badEdit(a *ask, args json.RawMessage) string {
	switch a.gate {
	case events.GateTool:
		return s.badArguments(s.calls[a.call], args)
	case events.GateSpawn:
		return s.badSpawn(a, args)
	case events.GateStep:
		return s.badStep(a, args)
	case events.GateBudget:
		return s.badBudget(a, args)
	case events.GateQuestion:
		return badAnswer(args)
	case events.GatePlan:
		return badPlan(args)
	case events.GateMerge:
		return badTake(args)
	case events.GateInput:
		var form map[string]json.RawMessage
		if len(args) > MaxPosted {
			return tooLong("the form", len(args), MaxPosted)
		}
		if json.Unmarshal(args, &form) != nil {
			return "args must be a JSON object with the fields of the form"
		}
		return ""
	case events.GateInterrupted:
		switch resolutionOf(args) {
		case events.InterruptRetry, events.InterruptDone, events.InterruptFail:
			return ""
		}
		return `args must be {"resolution": "retry"}, "done" or "fail"`
	}
	return "this ask takes no args"
}

// resolutionOf returns the resolution that a user named, or "".
func resolutionOf(args json.RawMessage) string {
	var v struct {
		Resolution string `json:"resolution"`
	}
	read(args, &v)
	return v.Resolution
}

// read decodes an object into v. If the object has unknown members, v does not change.
func read[T any](args json.RawMessage, v *T) {
	var got T
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	if dec.Decode(&got) == nil {
		*v = got
	}
}

// with returns the call with arguments that a user edited and that match the schema.
func (c *call) with(args json.RawMessage) call {
	now := *c
	now.args = args
	now.digest, _ = c.tool.check(args)
	if now.edited = now.digest != c.digest; now.edited {
		now.shown = nil // the user wrote these arguments and saw no diff of them
	}
	return now
}

// badArguments returns why a call cannot run with edited arguments, as far as the log shows, or "". Older decisions
// settle the ask and then deny the call if a rule forbids it.
func (s *State) badArguments(c *call, args json.RawMessage) string {
	if _, bad := c.tool.check(args); bad != "" {
		return "the edited arguments do not fit: " + bad
	}
	now := c.with(args)
	if !now.edited || s.basis.Decision(events.ActorApproval) < 2 {
		return ""
	}
	if why := s.tooLate(&now); why != "" {
		return "the edited arguments do not fit: " + why
	}
	if rule, no := s.forbidden(&now); no {
		return "the edited arguments do not fit: " + forbids(rule)
	}
	if ticket, file := s.heldBy(&now); ticket != "" {
		return "the edited arguments do not fit: " + line(file) + " is being changed by ticket " + ticket
	}
	return ""
}

// checks requests a preview of edited arguments before the answer counts, because only a worker knows whether the
// workspace refuses them. It reports whether the answer waits.
func (s *State) checks(e *events.Event, a *ask, p events.AskAnswered) bool {
	if a.gate != events.GateTool || len(p.Args) == 0 || s.basis.Decision(events.ActorApproval) < 2 {
		return false
	}
	c := s.calls[a.call]
	now := c.with(p.Args)
	if !now.edited || !c.tool.tries() {
		return false
	}
	c.tried = e
	s.owe(previewOf(&now))
	return true
}

// tried returns the answer to an ask whose edited arguments are being tried, nil if there is none.
func (s *State) tried(a *ask) *events.Event {
	if a.gate != events.GateTool || s.calls[a.call] == nil {
		return nil
	}
	return s.calls[a.call].tried
}

// checked continues with an answer once a preview shows whether its edited arguments can run. If not, the ask stays
// open. A preview that fails while earlier calls of the reply are unfinished shows nothing, because those may change
// what it failed on, but not what a tool may touch.
func (s *State) checked(e *events.Event, c *call, p events.PreviewBuilt) {
	given := c.tried
	c.tried = nil
	answer := given.Payload.(events.AskAnswered)
	a := s.asks[answer.Ask]
	answer.Args = stored(answer.Args)
	now := c.with(answer.Args)
	why := s.badArguments(c, answer.Args)
	if why == "" && p.Error != "" && (len(s.ahead(&now)) == 0 || p.Denied) {
		why = "the edited arguments do not fit: " + p.Error
	}
	if why == "" {
		s.accept(given, a, answer)
		return
	}
	s.refuse(given, a.id, why)
	s.settleByRules(e) // rules leave an ask alone while an answer to it is tried
}

// dropTried rejects the answer whose arguments are being tried, because the ask was settled otherwise.
func (s *State) dropTried(a *ask) {
	if e := s.tried(a); e != nil {
		s.calls[a.call].tried = nil
		s.refuse(e, a.id, alreadySettled)
	}
}

// refuse tells the author of an answer why it is invalid.
func (s *State) refuse(e *events.Event, id, why string) {
	r := events.AnswerRefused{Ask: tiers.Clip(id, events.MaxIDLength), AnswerID: e.ID, Author: e.Actor,
		Reason: tiers.Clip(why, MaxNote)}
	if a := s.asks[id]; a != nil && a.settled != nil {
		at := a.settled.at
		r.SettledBy, r.SettledAt = a.settled.by, &at
	}
	s.owe(r)
}

// unreadable rejects an answer that cannot be read, or whose author may not
// give one.
func (s *State) unreadable(e *events.Event, p events.Malformed) {
	if p.Name == (events.AskAnswered{}).EventType().Name {
		s.refuse(e, e.Corr, p.Reason)
	}
}

// fired settles an expired ask as rejected. A timer changes nothing if it fired before the ask expires
// or after the ask was settled.
func (s *State) fired(e *events.Event, p events.TimerFired) {
	a := s.asks[p.Ask]
	if a == nil || a.settled != nil || a.expires == nil || p.Due.Before(*a.expires) {
		return
	}
	s.settle(a, events.AskSettled{Outcome: events.Expired, By: e.Actor, AnswerID: e.ID, Reason: "nobody answered in time",
		At: e.Time})
}
