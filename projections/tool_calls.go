package projections

import (
	"time"

	"manualslop/events"
)

// States of a tool call.
const (
	CallRequested   = "requested"   // a model requested it
	CallAsked       = "asked"       // a user must decide
	CallRunning     = "running"     // approved, without an outcome
	CallSettled     = "settled"     // has an outcome
	CallDenied      = "denied"      // will not run
	CallInterrupted = "interrupted" // its worker died or it was parked; a user must decide
)

// outcomeDenied is the outcome of a call that never ran.
const outcomeDenied = "denied"

// ToolCall is one tool call from request to outcome.
type ToolCall struct {
	Call       string     `json:"call"`
	Tool       string     `json:"tool"`
	Ticket     string     `json:"ticket"`
	Attempt    int        `json:"attempt"`
	Workspace  string     `json:"workspace,omitempty"` // where it runs; empty means the user's folder
	Round      int        `json:"round"`
	State      string     `json:"state"`
	Effect     string     `json:"effect,omitempty"`
	Ask        string     `json:"ask,omitempty"`
	By         string     `json:"by,omitempty"` // who approved or denied it
	Rule       string     `json:"rule,omitempty"`
	Edited     bool       `json:"edited,omitempty"`
	Generation int        `json:"generation,omitempty"`
	Worker     string     `json:"worker,omitempty"`
	Outcome    string     `json:"outcome,omitempty"` // outcome of the run, or denied, or how a user resolved it
	Reason     string     `json:"reason,omitempty"`  // of a denial or a resolution
	Exit       *int       `json:"exit,omitempty"`
	SHA256     string     `json:"sha256,omitempty"` // of the result's text
	DurationMS int64      `json:"duration_ms,omitempty"`
	Requested  time.Time  `json:"requested"`
	Approved   *time.Time `json:"approved,omitempty"` // time of the newest approval
	Settled    *time.Time `json:"settled,omitempty"`
}

// ToolTotal holds the totals for one tool.
type ToolTotal struct {
	Calls      int   `json:"calls"`
	Done       int   `json:"done"`
	Failed     int   `json:"failed"` // failed, killed or interrupted
	Denied     int   `json:"denied"`
	DurationMS int64 `json:"duration_ms"`
}

// Pending returns the numbers of model requests and tool calls without a final result.
func (s *Set) Pending() (models, calls int) {
	return len(stateOf(s, cost).Requests), len(stateOf(s, toolCalls).Open)
}

// MaxServers limits the external MCP servers of a session. Servers that appear later are ignored.
const MaxServers = 64

// Server is the newest recorded state of an external MCP server.
type Server struct {
	State string                 `json:"state"` // idle, starting, running or error
	Error string                 `json:"error,omitempty"`
	Tools []events.MCPToolChange `json:"tools,omitempty"` // not as approved; they cannot be called
}

// Servers returns the external MCP servers that the session used, by name. The map is shared and must not
// be modified.
func (s *Set) Servers() map[string]Server { return stateOf(s, toolCalls).Servers }

type ledger struct {
	Open   calls                 `json:"open"`
	Calls  []*ToolCall           `json:"calls"`
	Totals map[string]*ToolTotal `json:"totals"`
	// Servers are external MCP servers, by name.
	Servers map[string]Server `json:"servers,omitempty"`
	byID    map[string]*ToolCall
}

var toolCalls = Fold[*ledger]{
	Name: "tools", Version: 3,
	Takes: ofTheWork,
	New: func() *ledger {
		return &ledger{Open: calls{}, Totals: map[string]*ToolTotal{}, byID: map[string]*ToolCall{}}
	},
	Apply: (*ledger).apply,
	View: func(l *ledger) any {
		return struct {
			Calls   []*ToolCall           `json:"calls"`
			Totals  map[string]*ToolTotal `json:"totals"`
			Servers map[string]Server     `json:"servers,omitempty"`
		}{l.Calls, l.Totals, l.Servers}
	},
}

// UnmarshalJSON decodes a ledger and rebuilds its index.
func (l *ledger) UnmarshalJSON(raw []byte) error {
	type plain ledger
	if err := events.Unmarshal(raw, (*plain)(l)); err != nil {
		return err
	}
	l.byID = make(map[string]*ToolCall, len(l.Calls))
	for _, c := range l.Calls {
		l.byID[c.Call] = c
	}
	return nil
}

func (l *ledger) apply(e *events.Event) *ledger {
	if p, ok := e.Payload.(events.AskRaised); ok {
		if c := l.byID[p.Call]; c != nil && c.State != CallSettled {
			c.Ask = p.Ask
			if p.Gate == events.GateTool {
				c.State = CallAsked
			}
		}
		return l
	}
	if p, ok := e.Payload.(events.MCPServerChanged); ok {
		if l.Servers == nil {
			l.Servers = map[string]Server{}
		}
		if _, there := l.Servers[p.Server]; there || len(l.Servers) < MaxServers {
			l.Servers[p.Server] = Server{p.State, p.Error, p.Tools}
		}
		return l
	}
	k, counts := l.Open.take(e)
	if !counts {
		return l
	}
	total := l.Totals[k.Tool]
	if total == nil {
		total = &ToolTotal{}
		l.Totals[k.Tool] = total
	}
	l.fold(e, k, total)
	return l
}

func (l *ledger) fold(e *events.Event, k *call, total *ToolTotal) {
	at := e.Time
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		c := &ToolCall{Call: p.Call, Tool: p.Tool, Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round, State: CallRequested,
			Workspace: p.Workspace, Requested: at}
		l.Calls, l.byID[p.Call] = append(l.Calls, c), c
		total.Calls++
	case events.ToolApproved:
		c := l.byID[p.Call]
		c.State, c.Effect, c.By, c.Rule, c.Edited, c.Generation, c.Approved = CallRunning, p.Effect, p.By, p.Rule, p.Edited,
			p.Generation, &at
	case events.ToolDenied:
		c := l.byID[p.Call]
		c.State, c.Outcome, c.By, c.Reason, c.Settled = CallDenied, outcomeDenied, p.By, p.Reason, &at
		total.Denied++
	case events.ToolSettled:
		l.byID[p.Call].settle(e, &p)
		total.DurationMS += p.DurationMS
		total.count(p.Outcome)
	case events.ToolParked:
		c := l.byID[p.Call]
		c.State, c.Outcome, c.Reason = CallInterrupted, events.ToolInterrupted, p.Reason
		total.Failed++
	case events.InterruptResolved:
		c := l.byID[p.Call]
		c.By, c.Reason = p.By, p.Reason
		if p.Resolution != events.InterruptRetry {
			c.State, c.Outcome, c.Settled = CallSettled, p.Resolution, &at
		}
	}
}

func (c *ToolCall) settle(e *events.Event, p *events.ToolSettled) {
	at := e.Time
	c.State, c.Outcome, c.Worker, c.Exit, c.SHA256 = CallSettled, p.Outcome, e.Actor, p.Exit, p.SHA256
	c.DurationMS += p.DurationMS
	c.Settled = &at
	if p.Outcome == events.ToolInterrupted {
		c.State, c.Settled = CallInterrupted, nil
	}
}

func (t *ToolTotal) count(outcome string) {
	if outcome == events.ToolDone {
		t.Done++
	} else {
		t.Failed++
	}
}

// ToolCalls returns all tool calls in the order in which they were requested.
func (s *Set) ToolCalls() []ToolCall {
	l := stateOf(s, toolCalls)
	out := make([]ToolCall, len(l.Calls))
	for i, c := range l.Calls {
		out[i] = *c
	}
	return out
}

// ToolCall returns a tool call by id.
func (s *Set) ToolCall(id string) (ToolCall, bool) {
	c := stateOf(s, toolCalls).byID[id]
	if c == nil {
		return ToolCall{}, false
	}
	return *c, true
}
