package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"manualslop/events"
	"manualslop/tiers"
)

// tool is one offered tool with its schema ready to check arguments.
type tool struct {
	offer  events.ToolOffer
	schema *jsonschema.Resolved
	broken string // why the schema cannot be used; such a tool never runs
}

// call is one tool call on its way.
type call struct {
	request events.ToolRequested
	tool    *tool
	args    json.RawMessage
	digest  string
	count   tiers.Call
	denied  bool
	shown   bool // its preview was taken
}

func (s *State) offer(p events.ToolsOffered) {
	s.tools = make(map[string]*tool, len(p.Tools))
	for _, o := range p.Tools {
		s.tools[o.Name] = newTool(o)
	}
}

func newTool(o events.ToolOffer) *tool {
	t := &tool{offer: o}
	var schema jsonschema.Schema
	if err := json.Unmarshal(o.Schema, &schema); err != nil {
		t.broken = err.Error()
		return t
	}
	var err error
	if t.schema, err = schema.Resolve(nil); err != nil {
		t.broken = err.Error()
	}
	return t
}

// check is the error text for arguments that do not fit, empty when they do.
func (t *tool) check(args json.RawMessage) string {
	if t.broken != "" {
		return "the tool's schema is broken: " + t.broken
	}
	if len(args) > events.MaxArgs {
		return fmt.Sprintf("%d bytes are over the limit of %d", len(args), events.MaxArgs)
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	var v any
	if err := dec.Decode(&v); err != nil {
		return err.Error()
	}
	if err := t.schema.Validate(v); err != nil {
		return firstLine(err.Error())
	}
	return ""
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// has tells whether the tool has an effect by name.
func (t *tool) has(effect string) bool {
	return slices.Contains(strings.Split(t.offer.Effect, "|"), effect)
}

// harmless tells whether a call of the tool runs without a question: it reads,
// or it looks at public addresses, and nothing else. An unknown effect is not.
func (t *tool) harmless() bool {
	for _, e := range strings.Split(t.offer.Effect, "|") {
		if e != "reads" && e != "network" {
			return false
		}
	}
	return true
}

// request judges a new call.
func (s *State) request(e *events.Event, p events.ToolRequested) {
	if s.calls[p.Call] != nil {
		return
	}
	c := &call{request: p, tool: s.tools[p.Tool], args: p.Args}
	s.calls[p.Call] = c
	switch {
	case c.tool == nil:
		s.deny(c, "engine", "", "unknown tool "+p.Tool+"; there are "+s.names())
	case s.killed[p.Ticket] >= p.Attempt:
		s.deny(c, "engine", "", "the ticket was killed")
	default:
		s.judged(e, c)
	}
}

func (s *State) judged(e *events.Event, c *call) {
	if bad := c.tool.check(c.args); bad != "" {
		s.deny(c, "engine", "", "the arguments of "+c.request.Tool+" do not fit: "+bad)
		return
	}
	digest, err := events.CanonicalDigest(c.args)
	if err != nil {
		s.deny(c, "engine", "", "the arguments of "+c.request.Tool+" have no canonical form: "+firstLine(err.Error()))
		return
	}
	c.digest = digest
	v, rule := s.judge(c.request.Tool, c.args)
	switch {
	case v == deny:
		s.deny(c, "rule", "", "a rule forbids it ("+ruleName(rule)+")")
	case v == allow, v == silent && c.tool.harmless():
		s.approve(c, "rule", ruleName(rule), "", false, 1)
	case c.tool.has("writes"):
		s.owe(events.PreviewRequested{Call: c.request.Call, Tool: c.request.Tool, Args: c.args, Ticket: c.request.Ticket})
	default:
		s.askTool(e, c, events.PreviewBuilt{})
	}
}

// preview raises the ask that waited for what the call would change.
func (s *State) preview(e *events.Event, p events.PreviewBuilt) {
	c := s.calls[p.Call]
	if c == nil || c.shown || c.denied || c.count.Generation() > 0 {
		return
	}
	c.shown = true
	if s.killed[c.request.Ticket] >= c.request.Attempt {
		s.deny(c, "engine", "", "the ticket was killed")
		return
	}
	s.askTool(e, c, p)
}

func (s *State) askTool(e *events.Event, c *call, p events.PreviewBuilt) {
	note := ""
	if p.Error != "" {
		note = "the preview failed: " + p.Error
	}
	s.raise(e, events.AskRaised{
		Gate: events.GateTool, Title: title(c.request), Ticket: c.request.Ticket, Call: c.request.Call, Tool: c.request.Tool,
		Args: c.args, ArgsSHA256: c.digest, Effect: c.tool.offer.Effect, Diff: p.Diff, DiffBlob: p.DiffBlob, Note: note,
		Attempt: c.request.Attempt, Round: c.request.Round,
	})
}

// title is one line that says what the call is about.
func title(r events.ToolRequested) string {
	var a struct{ Path, Script string }
	if json.Unmarshal(r.Args, &a) != nil {
		return r.Tool
	}
	what := a.Path
	if what == "" {
		what = firstLine(strings.TrimSpace(a.Script))
	}
	if rs := []rune(what); len(rs) > 80 {
		what = string(rs[:79]) + "…"
	}
	return strings.TrimSpace(r.Tool + " " + what)
}

func (s *State) approve(c *call, by, rule, ask string, edited bool, generation int) {
	s.owe(events.ToolApproved{
		Call: c.request.Call, Tool: c.request.Tool, Args: c.args, ArgsSHA256: c.digest, Effect: c.tool.offer.Effect,
		Ticket: c.request.Ticket, Generation: generation, By: by, Rule: rule, Ask: ask, Edited: edited, TimeoutMS: s.settings.ToolTimeoutMS,
	})
}

func (s *State) deny(c *call, by, ask, reason string) {
	s.owe(events.ToolDenied{Call: c.request.Call, Tool: c.request.Tool, Ticket: c.request.Ticket, Reason: reason, By: by, Ask: ask})
}

func (s *State) names() string {
	out := make([]string, 0, len(s.tools))
	// order-independent: sorted below
	for name := range s.tools {
		out = append(out, name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func ruleName(r events.Rule) string {
	switch {
	case r.Action == "":
		return "reads run"
	case r.Source != "":
		return r.Source
	}
	return r.Action + " " + r.Tool
}

// settled raises a question about a call whose worker died while it changed something.
func (s *State) settled(e *events.Event, p events.ToolSettled) {
	c := s.calls[p.Call]
	if c == nil || !c.count.Settle(p) || p.Outcome != events.ToolInterrupted {
		return
	}
	s.askInterrupted(e, c, "its worker stopped in the middle of it; nobody knows how far it came")
}

func (s *State) parked(e *events.Event, p events.ToolParked) {
	if c := s.calls[p.Call]; c != nil && c.count.Park() {
		s.askInterrupted(e, c, p.Reason)
	}
}

func (s *State) askInterrupted(e *events.Event, c *call, why string) {
	if s.killed[c.request.Ticket] >= c.request.Attempt {
		s.owe(events.InterruptResolved{Call: c.request.Call, Tool: c.request.Tool, Ticket: c.request.Ticket,
			Resolution: events.InterruptFail, By: "engine", Reason: "the ticket is over"})
		return
	}
	s.raise(e, events.AskRaised{
		Gate: events.GateInterrupted, Title: "interrupted: " + title(c.request), Ticket: c.request.Ticket, Call: c.request.Call,
		Tool: c.request.Tool, Args: c.args, ArgsSHA256: c.digest, Effect: c.tool.offer.Effect, Attempt: c.request.Attempt, Round: c.request.Round,
		Note: why + `. yes runs it again; yes with {"resolution":"done"} takes it as done; no takes it as failed`,
	})
}
