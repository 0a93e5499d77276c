package app

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tools"
)

// ruling is what may happen to a call without a person. The zero value is none.
type ruling int

const (
	rulingRun    ruling = iota + 1 // it may run
	rulingDenied                   // a rule, or its arguments, forbid it
	rulingAsk                      // it needs a yes that nobody is there to give
)

// toolGate judges calls that are made without an engine. It is the decider
// approval at work on a session that exists in memory only, so that the same
// rules hold here and there.
type toolGate struct {
	machine *tiers.Machine
	place   place
	session string
	calls   int
}

// newToolGate opens the session; yes puts the rule behind --yes on its record.
func newToolGate(p place, registry *tools.Registry, yes bool) (*toolGate, error) {
	g := &toolGate{machine: approval.Decider().Start(), place: p, session: newID()}
	words := []events.Payload{
		events.SessionOpened{Folder: "-", Workspace: p.project, Settings: p.settings(false)}, offers(registry),
	}
	if yes {
		words = append(words, events.RuleAdded{Rule: yesRule()})
	}
	for _, w := range words {
		if _, err := g.take(p.person, w); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *toolGate) take(actor string, p events.Payload) ([]events.Event, error) {
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: g.place.name, Session: g.session, Actor: actor}, p)
	if err != nil {
		return nil, err
	}
	return g.machine.Take(&e)
}

// judge says whether a call may run, and if not, why.
func (g *toolGate) judge(tool string, args json.RawMessage) (ruling, string, error) {
	g.calls++
	id := "cli-" + strconv.Itoa(g.calls)
	facts, err := g.take(events.ActorContributor, events.ToolRequested{Call: id, Tool: tool, Args: args, Attempt: 1, Round: 1})
	if err != nil {
		return rulingDenied, "", fmt.Errorf("judge %s: %w", tool, err)
	}
	for _, f := range facts {
		switch p := f.Payload.(type) {
		case events.ToolApproved:
			return rulingRun, "", nil
		case events.ToolDenied:
			return rulingDenied, p.Reason, nil
		case events.AskRaised, events.PreviewRequested:
			return rulingAsk, tool + " changes something and needs a yes", nil
		}
	}
	return rulingDenied, "nothing allows " + tool, nil
}
