package approval

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/events/chars"
)

// ask is one question: its subject, and how it was settled.
type ask struct {
	id, gate, call string
	ticket         string
	attempt, round int
	expires        *time.Time
	args           json.RawMessage // what an open ask about a start or a step shows
	settled        *settlement     // nil while the ask is open
}

// settlement is what the author of a late answer learns about the first one.
type settlement struct {
	by string
	at time.Time
}

func newAsk(p events.AskRaised) *ask {
	a := &ask{id: p.Ask, gate: p.Gate, call: p.Call, ticket: p.Ticket, attempt: p.Attempt, round: p.Round,
		expires: p.ExpiresAt}
	if p.Gate == events.GateStep || p.Gate == events.GateSpawn {
		a.args = p.Args
	}
	if p.Gate == events.GateBudget {
		a.attempt = math.MaxInt // it outlives the attempt that raised it
	}
	return a
}

// raise raises an ask. Its id is derived from its cause, so it is unique across sessions. If a
// program has posted a question with the same id, the next id is used.
func (s *State) raise(e *events.Event, a events.AskRaised) string {
	for i := 0; a.Ask == "" || s.taken(a.Ask); i++ {
		a.Ask = events.DecidedID("ask-"+a.Gate, *e, i)
	}
	if a.ExpiresAt == nil && s.settings.GateTimeoutMS > 0 {
		due := e.Time.Add(span(s.settings.GateTimeoutMS, MaxGateWait))
		a.ExpiresAt = &due
	}
	a.Title = line(a.Title)
	s.owe(a)
	return a.Ask
}

// taken reports whether an ask with this id exists or is about to be raised.
func (s *State) taken(id string) bool {
	return s.asks[id] != nil || slices.ContainsFunc(s.owed, func(p events.Payload) bool {
		a, is := p.(events.AskRaised)
		return is && a.Ask == id
	})
}

// spawn decides whether a ticket may start.
func (s *State) spawn(e *events.Event, p events.SpawnRequested) {
	switch name, yes := s.yesToAll(); {
	case p.Ungated:
	case yes:
		s.owe(events.SpawnApproved{Ticket: p.Ticket, Attempt: p.Attempt, By: byRule + " " + name})
	case !s.settings.SpawnApproval:
		s.owe(events.SpawnApproved{Ticket: p.Ticket, Attempt: p.Attempt, By: byRule})
	default:
		s.raise(e, events.AskRaised{Gate: events.GateSpawn, Title: "start " + p.Ticket + " on " + p.Model, Ticket: p.Ticket,
			Attempt: p.Attempt, Args: s.spawnArgs(p)})
	}
}

// step decides whether a round may run in step mode.
func (s *State) step(e *events.Event, p events.StepRequested) {
	switch name, yes := s.yesToAll(); {
	case s.over(p.Ticket, p.Attempt):
		s.owe(events.StepDenied{Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round, Reason: killedReason, By: "engine"})
	case yes:
		s.owe(events.StepApproved{Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round, By: byRule + " " + name})
	default:
		s.raise(e, events.AskRaised{Gate: events.GateStep, Title: p.Summary, Ticket: p.Ticket, Attempt: p.Attempt,
			Round: p.Round, Args: stepArgs(p)})
	}
}

// postedLate settles a program's question in a closed session.
func (s *State) postedLate(e *events.Event, p events.AskPosted) {
	if !s.mayBePosted(p) {
		return
	}
	s.owe(events.AskRaised{Ask: p.RequestID, Gate: events.GateHTTP, Title: "asked by " + e.Actor, Args: stored(p.Data),
		PostedBy: e.Actor})
	s.owe(events.AskSettled{Ask: p.RequestID, Gate: events.GateHTTP, Outcome: events.No, By: "engine", AnswerID: e.ID,
		Reason: "the session was closed before the question came", At: e.Time})
}

// mayBePosted reports whether a program's question can be raised; each request id can be used
// once.
func (s *State) mayBePosted(p events.AskPosted) bool {
	return validRequestID(p.RequestID) && s.asks[p.RequestID] == nil && len(stored(p.Data)) <= MaxPosted
}

// posted raises a program's question.
func (s *State) posted(e *events.Event, p events.AskPosted) {
	if !s.mayBePosted(p) {
		return
	}
	data := stored(p.Data)
	wait := DefaultAskWait
	for _, ms := range []int64{s.settings.AskTimeoutMS, p.TimeoutMS} {
		if ms > 0 {
			wait = span(ms, MaxAskWait)
		}
	}
	due := e.Time.Add(wait)
	s.raise(e, events.AskRaised{Ask: p.RequestID, Gate: events.GateHTTP, Title: "asked by " + e.Actor, Args: data,
		PostedBy: e.Actor, ExpiresAt: &due})
}

// validRequestID reports whether the id that a program chose for its question is safe to show.
func validRequestID(id string) bool {
	return id != "" && len(id) <= events.MaxIDLength &&
		!strings.ContainsFunc(id, func(r rune) bool { return !chars.Printable(r) })
}

func askAbout(c *call, gate, title string) events.AskRaised {
	return events.AskRaised{
		Gate: gate, Title: title, Ticket: c.request.Ticket, Call: c.request.Call, Tool: c.request.Tool,
		Args: c.args, ArgsSHA256: c.digest, Effect: c.tool.offer.Effect, Attempt: c.request.Attempt, Round: c.request.Round,
	}
}

// CallTitle returns one line that describes a call with these arguments.
func CallTitle(tool string, args json.RawMessage) string {
	var a struct{ Path, Script, URL, Query string }
	if json.Unmarshal(args, &a) != nil {
		return tool
	}
	if a.Path != "" {
		return tool + " " + a.Path
	}
	return chars.Trim(tool + " " + firstLine(chars.Trim(cmp.Or(a.Script, a.URL, a.Query))))
}
