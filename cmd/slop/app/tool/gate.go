package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/version"
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/basis"
	"manualslop/tools"
)

// ruling says whether a call may run without asking a user. The zero value is invalid.
type ruling int

const (
	rulingRun    ruling = iota + 1 // it may run
	rulingDenied                   // a rule, or its arguments, forbid it
	rulingAsk                      // it needs approval, which nobody can give here
)

// toolGate judges calls that are made without an engine. It runs the approval decider on a session that exists only in
// memory, so that the same rules apply here as in an engine.
type toolGate struct {
	machine *tiers.Machine
	place   site.Place
	session string
	calls   int
}

// newToolGate opens the session; with yes it records the rule of --yes.
func newToolGate(p site.Place, registry *tools.Registry, yes bool) (*toolGate, error) {
	g := &toolGate{machine: approval.Decider().Start(), place: p, session: engine.NewID()}
	words := []events.Payload{
		events.SessionOpened{Folder: "-", Workspace: p.Root(), Basis: basis.Of(version.ReadInfo().Version),
			Settings: p.Settings(false)}, site.Offers(registry),
	}
	if yes {
		words = append(words, events.RuleAdded{Rule: site.YesRule()})
	}
	for _, w := range words {
		if _, err := g.take(p.Person, w); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *toolGate) take(actor string, p events.Payload) ([]events.Event, error) {
	e, err := events.New(events.Origin{ID: engine.NewID(), Time: time.Now(), Project: g.place.Name, Session: g.session,
		Actor: actor}, p)
	if err != nil {
		return nil, err
	}
	return g.machine.Take(&e)
}

// judge returns whether a call may run, and if not, why.
func (g *toolGate) judge(tool string, args json.RawMessage) (ruling, string, error) {
	g.calls++
	id := "cli-" + strconv.Itoa(g.calls)
	facts, err := g.take(events.ActorContributor, events.ToolRequested{Call: id, Tool: tool, Args: args, Attempt: 1,
		Round: 1})
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
			return rulingAsk, tool + " changes something and needs approval", nil
		}
	}
	return rulingDenied, "nothing allows " + tool, nil
}

// maxJudged limits the calls that one gate judges, because its session keeps them in memory.
const maxJudged = 1_000

// gatePool judges calls on several goroutines. Each gate judges one call at a time, and a judged call does not affect
// the next one.
type gatePool struct {
	open func() (*toolGate, error)
	mu   sync.Mutex
	free []*toolGate
}

// fill opens the first gate, so that invalid rules are reported before the first call.
func (p *gatePool) fill() error {
	g, err := p.open()
	if err == nil {
		p.free = append(p.free, g)
	}
	return err
}

func (p *gatePool) judge(tool string, args json.RawMessage) (ruling, string, error) {
	g, err := p.take()
	if err != nil {
		return rulingDenied, "", err
	}
	verdict, reason, err := g.judge(tool, args)
	if err == nil && g.calls < maxJudged {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free = append(p.free, g)
	}
	return verdict, reason, err
}

func (p *gatePool) take() (*toolGate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		g := p.free[n-1]
		p.free = p.free[:n-1]
		return g, nil
	}
	return p.open()
}
