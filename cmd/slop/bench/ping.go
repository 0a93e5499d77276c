package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/engine"
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/runtime"
)

// pinger replaces tier 3 in measurements: a decider that keeps a number of calls in flight and makes the next one when
// an outcome comes, so that only the engine's handling of a call is measured.
type pinger struct {
	tool     string
	args     func(n int) json.RawMessage
	inFlight int
	apart    bool               // each call is of its own ticket, so that no answer taints the next call
	trips    chan time.Duration // taken one by one; otherwise the pinger waits

	mu    sync.Mutex
	began map[string]time.Time
}

// ping is the decider's state.
type ping struct {
	n    int
	open map[string]bool
	due  int
}

func (p *pinger) decider(ctx context.Context) tiers.Decider[*ping] {
	return tiers.Decider[*ping]{
		Name: events.ActorContributor,
		New:  func() *ping { return &ping{open: map[string]bool{}} },
		Evolve: func(s *ping, e *events.Event) *ping {
			switch x := e.Payload.(type) {
			case events.GoalSubmitted:
				s.due = p.inFlight
			case events.ToolSettled:
				if s.open[x.Call] {
					delete(s.open, x.Call)
					s.due++
					p.landed(ctx, x.Call)
				}
			case events.ToolRequested:
				s.open[x.Call] = true
				s.n++
				s.due--
			}
			return s
		},
		Decide: func(s *ping, _ *events.Event) []events.Payload {
			if s.due <= 0 {
				return nil
			}
			call := fmt.Sprintf("c-%d", s.n+1)
			p.left(call)
			ticket := "T-1"
			if p.apart {
				ticket = fmt.Sprintf("T-%d", s.n+1)
			}
			return []events.Payload{events.ToolRequested{Call: call, Tool: p.tool, Args: p.args(s.n + 1), Ticket: ticket,
				Attempt: 1, Round: s.n + 1}}
		},
	}
}

func (p *pinger) left(call string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began == nil {
		p.began = map[string]time.Time{}
	}
	p.began[call] = time.Now()
}

func (p *pinger) landed(ctx context.Context, call string) {
	p.mu.Lock()
	took := time.Since(p.began[call])
	delete(p.began, call)
	p.mu.Unlock()
	select {
	case p.trips <- took:
	case <-ctx.Done():
	}
}

// pingAll runs the engine's deciders on an engine's bus, with the pinger instead of the contributor, and begins.
func pingAll(e *engine.Engine, p *pinger, offered events.ToolsOffered, rules ...events.Rule) error {
	reading, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Reader})
	if err != nil {
		return err
	}
	reader := &runtime.Reader{Log: reading, Registry: events.Catalogue(), Project: e.Name, Logger: e.Logger}
	workers := &runtime.Orchestrator{Project: e.Name, Logger: e.Logger}
	for _, name := range events.Deciders() {
		conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Decider, Name: name})
		if err != nil {
			return err
		}
		start := engine.Deciders()[name]
		if name == events.ActorContributor {
			start = func() *tiers.Machine { return p.decider(e.Ctx).Start() }
		}
		workers.Roles = append(workers.Roles, runtime.Role{Start: start, Log: conn})
	}
	reader.Subscribe(workers)
	e.Group.Go(func() error {
		defer workers.Wait()
		return e.Role("orchestrator", reader.Run(e.Ctx))
	})
	person, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Person, Name: e.Person})
	if err != nil {
		return err
	}
	v := engine.SessionWriter{Log: person, Project: e.Name, Session: engine.NewID(), Person: e.Person}
	by, err := engine.RecordBasis(e.Ctx, person)
	if err != nil {
		return err
	}
	settings := e.Settings(true)
	settings.Rules = append(settings.Rules, rules...)
	for _, w := range []events.Payload{
		events.SessionOpened{Folder: "bench", Workspace: e.Project, Basis: by, Settings: settings}, offered,
		events.GoalSubmitted{Goal: "measure"},
	} {
		if _, _, err := v.Publish(e.Ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// hold lets every call finish and starts none, so that nothing else runs during the other measurement: the finished
// calls wait to be taken.
func (p *pinger) hold(ctx context.Context, inFlight int) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for len(p.trips) < min(inFlight, cap(p.trips)) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// take waits for the given number of trips.
func (p *pinger) take(ctx context.Context, n int) ([]time.Duration, error) {
	out := make([]time.Duration, 0, n)
	for range n {
		select {
		case d := <-p.trips:
			out = append(out, d)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return out, nil
}
