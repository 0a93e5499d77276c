// Package qa is the decider of tier 4: it has each failed shell call read by
// the cheapest model and turned into a hint of about twenty words.
//
// # Contract
//
// For every failed shell outcome that counts, qa ends with exactly one of
// HintGiven and HintSkipped. Tier 4 sees the exit status and the end of the
// error output of that one call, has no tools, and keeps no memory.
package qa

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/tiers"
)

//go:embed system.md
var system string

// Bounds of what tier 4 reads and writes, in bytes.
const (
	MaxTrace = 4000
	MaxHint  = 400
)

// StreamID is tier 4's key in mma_streams.
const StreamID = "Tier 4"

// Decider is qa's two functions.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorQA, New: newState, Evolve: evolve, Decide: decide}
}

// State is what qa knows of a session.
type State struct {
	settings events.Settings
	calls    map[string]*tiers.Call
	tickets  map[string]string // call to ticket
	requests map[string]*triage
	closed   bool
	owed     events.Payload // what the last event made due
}

// triage is one failed call at tier 4.
type triage struct {
	call, ticket string
	request      events.ModelRequested
	done         bool
}

func newState() *State {
	return &State{calls: map[string]*tiers.Call{}, tickets: map[string]string{}, requests: map[string]*triage{}}
}

func decide(s *State, _ *events.Event) []events.Payload {
	if s.owed == nil || s.closed {
		return nil
	}
	return []events.Payload{s.owed}
}

func evolve(s *State, e *events.Event) *State {
	s.owed = nil
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.settings = p.Settings
	case events.SessionClosed:
		s.closed = true
	case events.ToolApproved:
		s.approved(p)
	case events.ToolSettled:
		if c := s.calls[p.Call]; c != nil && c.Settle(p) && tiers.WantsHint(p) {
			s.owed = s.triage(p)
		}
	case events.ModelRequested:
		if e.Actor == events.ActorQA {
			s.requests[e.ID] = &triage{call: p.Call, ticket: p.Ticket, request: p}
		}
	case events.ModelReplied:
		if t := s.open(p.Request); t != nil {
			s.owed = t.replied(p)
		}
	case events.ModelFailed:
		if t := s.open(p.Request); t != nil {
			s.owed = t.failed(p, e.Time)
		}
	}
	return s
}

func (s *State) approved(p events.ToolApproved) {
	c := s.calls[p.Call]
	if c == nil {
		c = &tiers.Call{}
		s.calls[p.Call] = c
	}
	c.Approve(p)
	s.tickets[p.Call] = p.Ticket
}

// open takes the triage that a reply belongs to; the first reply counts.
func (s *State) open(request string) *triage {
	t := s.requests[request]
	if t == nil || t.done {
		return nil
	}
	t.done = true
	return t
}

// triage asks tier 4, or says why nobody is asked.
func (s *State) triage(p events.ToolSettled) events.Payload {
	t := s.settings.Tier(4)
	if s.settings.QADisabled || t.Provider == "" {
		return events.HintSkipped{Call: p.Call, Ticket: s.tickets[p.Call], Reason: "disabled"}
	}
	m := tiers.Request(t, t.Model(0), []events.Part{
		{Role: "system", Text: system},
		{Role: "user", Text: trace(p)},
	})
	m.StreamID, m.Ticket, m.Call = StreamID, s.tickets[p.Call], p.Call
	return m
}

func trace(p events.ToolSettled) string {
	exit := "no exit code"
	if p.Exit != nil {
		exit = fmt.Sprintf("exit code %d", *p.Exit)
	}
	out := p.Stderr
	if strings.TrimSpace(out) == "" {
		out = p.Text
	}
	if cut := len(out) - MaxTrace; cut > 0 {
		for cut < len(out) && !utf8.RuneStart(out[cut]) {
			cut++
		}
		out = "…" + out[cut:]
	}
	return fmt.Sprintf("%s, %s\n\n%s", p.Interpreter, exit, out)
}

func (t *triage) replied(p events.ModelReplied) events.Payload {
	hint := strings.Join(strings.Fields(p.Text), " ")
	if hint == "" {
		return events.HintSkipped{Call: t.call, Ticket: t.ticket, Reason: "the model sent no text"}
	}
	if len(hint) > MaxHint {
		cut := MaxHint
		for !utf8.RuneStart(hint[cut]) {
			cut--
		}
		hint = hint[:cut] + "…"
	}
	return events.HintGiven{Call: t.call, Ticket: t.ticket, Hint: hint}
}

func (t *triage) failed(p events.ModelFailed, at time.Time) events.Payload {
	if again, ok := tiers.NextAttempt(t.request, p, at); ok {
		return again
	}
	return events.HintSkipped{Call: t.call, Ticket: t.ticket, Reason: "model " + p.Kind + ": " + p.Message}
}
