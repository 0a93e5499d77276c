package approval

import (
	"encoding/json"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// call is one tool call until its final result.
type call struct {
	request events.ToolRequested
	tool    *tool
	presets tiers.Presets
	args    json.RawMessage // as requested, or as edited by a user
	digest  string          // of the canonical arguments
	edited  bool
	count   tiers.Call
	notes   []string            // why a user is asked
	taint   []string            // what its conversation has read, if that is why a user is asked
	shown   []events.FileChange // the changes that its preview showed
	stopped uint64              // sequence at which it was interrupted
	undone  string              // of an undo: the ticket, if it undoes the work of one ticket only
	over    bool                // it has its final result
	wrote   []events.FileChange // files that it changed, known once it is over
	tried   *events.Event       // the answer to its ask whose edited arguments are being tried
	check   string              // id of the request of that preview
	held    *release            // its approval, if it waits for earlier calls of its reply; else nil
	again   bool                // its preview failed and is made again after earlier calls of its reply
}

// over reports whether a user ended an attempt at a ticket.
func (s *State) over(ticket string, attempt int) bool {
	last, killed := s.killed[ticket]
	return killed && attempt <= last
}

const killedReason = "the ticket was killed"

// request judges a new call.
func (s *State) request(e *events.Event, p events.ToolRequested) {
	if _, seen := s.calls[p.Call]; seen {
		return
	}
	ticketless := e.Actor == events.ActorMCP
	if ticketless && !strings.HasPrefix(p.Call, events.MCPCallPrefix) {
		return // the id belongs to another caller's call
	}
	if ticketless { // whatever it claims, it belongs to no ticket and runs in the user's folder
		p = events.ToolRequested{Call: p.Call, Tool: p.Tool, Args: p.Args, Client: p.Client}
	}
	c := &call{request: p, tool: s.tools[p.Tool], args: p.Args, presets: s.presets(p.Ticket)}
	s.calls[p.Call] = c
	s.join(c)
	switch {
	case c.tool == nil || !c.presets.Has(p.Tool):
		s.deny(c, grounds{by: "engine", slip: true}, "unknown tool "+line(p.Tool)+"; there are "+s.names(c.presets))
	case s.over(p.Ticket, p.Attempt):
		s.deny(c, grounds{by: "engine"}, killedReason)
	default:
		s.judgeNew(e, c)
	}
}

// withdrawCall withdraws the asks and previews of a call whose client has disconnected. An MCP
// client can withdraw only calls of MCP clients.
func (s *State) withdrawCall(e *events.Event, p events.CallAbandoned) {
	if !strings.HasPrefix(p.Call, events.MCPCallPrefix) {
		return
	}
	reason := "withdrawn: " + tiers.Clip(p.Reason, MaxReason)
	s.withdraw(e, e.Actor, reason, func(a *ask) bool {
		return a.call == p.Call && (a.gate == events.GateTool ||
			a.gate == events.GateInput && s.basis.Decision(events.ActorApproval) >= 2)
	})
	s.dropPreviews(e.Actor, reason, func(c *call) bool { return c.request.Call == p.Call })
}

// names lists the available tools, for a model that called an unknown one.
func (s *State) names(presets tiers.Presets) string {
	return tiers.Clip(strings.Join(s.offered(presets), ", "), MaxNote)
}

func (s *State) judgeNew(e *events.Event, c *call) {
	digest, problem := c.tool.check(c.args)
	if problem == "" {
		problem = s.tooLate(c)
	}
	if problem != "" {
		s.deny(c, grounds{by: "engine", slip: true}, "the arguments of "+c.request.Tool+" do not fit: "+problem)
		return
	}
	c.digest = digest
	v, rule := s.judge(c)
	if v == questioned {
		c.notes = append(c.notes, "a rule wants a person to look ("+ruleName(rule)+")")
	}
	switch why, sources := s.hazard(c); {
	case v == denied:
		s.deny(c, grounds{by: byRule}, forbids(rule))
		return
	case s.refuseHeld(c):
		return
	case why != "": // no rule can allow it
		c.notes, c.taint = append(c.notes, why), sources
	case c.request.Tool == events.PatchTool:
		c.notes = append(c.notes, "no rule answers for a patch, because it may name any file")
	case v == allowed:
		s.approve(c, grounds{by: byRule, rule: ruleName(rule)}, 1)
		return
	case v == silent && c.tool.harmless():
		s.approve(c, grounds{by: byRule, rule: "reads run"}, 1)
		return
	case v == silent:
		if missing := s.uncovered(c); missing != "" {
			c.notes = append(c.notes, missing)
		}
	}
	if c.tool.previews() {
		s.owe(previewOf(c))
		return
	}
	s.askTool(e, c, events.PreviewBuilt{})
}

// previewOf requests a preview of what a call would change.
func previewOf(c *call) events.PreviewRequested {
	return events.PreviewRequested{Call: c.request.Call, Tool: c.request.Tool, Args: c.args, Ticket: c.request.Ticket,
		Workspace: c.request.Workspace}
}

// preview raises the ask that waited for the preview. Only the first preview of a waiting call
// counts.
func (s *State) preview(e *events.Event, p events.PreviewBuilt) {
	c := s.calls[p.Call]
	if c != nil && c.tried != nil {
		if e.Cause == c.check { // the outcome of an earlier request may come twice
			s.checked(e, c, p)
		}
		return
	}
	if c != nil && slices.Contains(s.previews, c) {
		s.previews = without(s.previews, c)
		if p.Error != "" && len(s.ahead(c)) > 0 {
			c.again = true
			return
		}
		s.askTool(e, c, p)
	}
}

func (s *State) askTool(e *events.Event, c *call, p events.PreviewBuilt) {
	if c.request.Check {
		s.deny(c, grounds{by: "engine"}, "no rule lets it run, and a ticket's check asks nobody")
		return
	}
	if c.shown = p.Changes; s.refuseHeld(c) {
		return
	}
	if s.basis.Decision(events.ActorApproval) >= 2 { // the rules may be others than when the call was judged
		switch v, rule := s.standing(c); v {
		case allowed:
			s.approve(c, grounds{by: byRule, rule: ruleName(rule)}, 1)
			return
		case denied:
			s.deny(c, grounds{by: byRule}, forbids(rule))
			return
		}
	}
	if p.Error != "" && !p.GivenUp && s.basis.Decision(events.ActorApproval) >= 2 {
		s.deny(c, grounds{by: "engine", slip: true}, "the call would fail: "+tiers.Clip(p.Error, MaxReason))
		return
	}
	a := askAbout(c, events.GateTool, CallTitle(c.request.Tool, c.args))
	a.Taint = c.taint
	notes := slices.Clone(c.notes)
	if by := c.request.Client; by != nil {
		notes = append(notes, "requested by the MCP client "+line(by.Name))
	}
	for _, b := range s.ahead(c) {
		notes = append(notes, "runs after "+line(CallTitle(b.request.Tool, b.args))+" of the same reply")
	}
	if p.Error != "" {
		notes = append(notes, "the preview failed: "+p.Error)
	}
	if a.Diff, a.DiffBlob = p.Diff, p.DiffBlob; sizeOf(a.Diff) > MaxDiff {
		a.Diff = ""
		notes = append(notes, "the diff is too long to be shown")
	}
	a.Note = tiers.Clip(strings.Join(notes, "; "), MaxNote)
	s.raise(e, a)
}

// byRule replaces a user's name in decisions that a rule made.
const byRule = "rule"

// grounds are the reasons of a decision about a call.
type grounds struct {
	by, rule, ask string
	slip          bool
}

func (s *State) approve(c *call, g grounds, generation int) {
	if s.refuseHeld(c) || s.waits(c, g, generation) {
		return
	}
	changes, behind := s.moved(c)
	s.owe(events.ToolApproved{
		Call: c.request.Call, Tool: c.request.Tool, Args: c.args, ArgsSHA256: c.digest, Effect: c.tool.offer.Effect,
		Ticket: c.request.Ticket, Attempt: c.request.Attempt, Generation: generation, By: g.by, Rule: g.rule, Ask: g.ask,
		Edited: c.edited, TimeoutMS: s.timeLimit(c), Changes: changes, After: behind,
		Workspace: c.request.Workspace,
		Known:     c.request.Known,
	})
}

func (s *State) deny(c *call, g grounds, reason string) {
	s.owe(events.ToolDenied{Call: c.request.Call, Tool: c.request.Tool, Ticket: c.request.Ticket, Reason: reason, By: g.by,
		Ask: g.ask, Invalid: g.slip})
	s.lastWord(c, nil)
}
