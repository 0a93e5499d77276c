package team

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// mutateBody is the body of POST /api/mma/dag/mutate: one operation, or several under ops. Names on one line are
// aliases.
type mutateBody struct {
	Ops []mutateOp `json:"ops,omitempty"`
	mutateOp
}

// mutateOp is one operation on the graph.
type mutateOp struct {
	// add_dependency, remove_dependency, set_dependencies, add_ticket, remove_ticket, set_priority,
	// set_model, set_persona, set_step_mode, set_description
	Op     string `json:"op,omitempty"`
	Action string `json:"action,omitempty"`

	Ticket   string `json:"ticket,omitempty"` // the ticket to change; for add_ticket its new id
	TicketID string `json:"ticket_id,omitempty"`
	ID       string `json:"id,omitempty"`

	Dependency string          `json:"dependency,omitempty"`
	DependsOn  json.RawMessage `json:"depends_on,omitempty"` // an id, or a list of them

	Priority string `json:"priority,omitempty"`

	Model         string `json:"model,omitempty"`
	ModelOverride string `json:"model_override,omitempty"`

	// of the session's roster; set_persona without one restores the tier's own
	Persona   string `json:"persona,omitempty"`
	PersonaID string `json:"persona_id,omitempty"`

	StepMode bool `json:"step_mode,omitempty"`

	Track   string `json:"track,omitempty"` // add_ticket
	TrackID string `json:"track_id,omitempty"`

	Description string `json:"description,omitempty"` // add_ticket, set_description
	Prompt      string `json:"prompt,omitempty"`

	TargetFile string `json:"target_file,omitempty"` // add_ticket

	Context             []string `json:"context,omitempty"` // add_ticket: paths
	ContextRequirements []string `json:"context_requirements,omitempty"`
}

// mutateMembers returns the names that mutateOp takes.
func mutateMembers() []string {
	return []string{
		"op", "action", "ticket", "ticket_id", "id", "dependency", "depends_on", "priority", "model", "model_override",
		"persona", "persona_id", "step_mode",
		"track", "track_id", "description", "prompt", "target_file", "context", "context_requirements",
	}
}

// graphSetDependencies is an operation of the gateway only. It is converted to the removals and additions that lead
// from the current dependencies to the given ones.
const graphSetDependencies = "set_dependencies"

// postMutate changes the graph.
func postMutate(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	want, err := mutation(c, session)
	if err != nil {
		return err
	}
	e, err := c.PublishAsPerson(session, want)
	if err != nil {
		return err
	}
	answered, err := c.Answered(e, (events.GraphMutated{}).EventType().Name)
	if err != nil {
		return err
	}
	out := wire.MutateAnswer{Status: "ok", Request: e.ID, Ops: want.Ops, Tickets: []projections.TicketState{}}
	if !answered {
		out.Status, out.Hint = "accepted", request.NotYet
		return c.Reply(http.StatusAccepted, out)
	}
	err = c.Read(session, func(s *projections.Set) { out.Tickets = named(s, want.Ops) })
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// named returns the distinct tickets that operations name.
func named(s *projections.Set, ops []events.GraphOp) []projections.TicketState {
	out := []projections.TicketState{}
	seen := map[string]bool{}
	for _, op := range ops {
		if t, ok := s.Ticket(op.Ticket); ok && !seen[op.Ticket] {
			seen[op.Ticket] = true
			out = append(out, t)
		}
	}
	return out
}

// mutation parses the body: one operation or several.
func mutation(c *core.Call, session string) (events.GraphMutationRequested, error) {
	var out events.GraphMutationRequested
	list := []json.RawMessage{c.Gw.Mask(c.Body)}
	if _, several := c.Fields["ops"]; several {
		if p := c.Only("ops"); p != nil {
			return out, p
		}
		var body struct {
			Ops []json.RawMessage `json:"ops"`
		}
		if json.Unmarshal(c.Gw.Mask(c.Body), &body) != nil {
			return out, problem.New(http.StatusBadRequest, "ops must be a list",
				`Send {"ops": [{"op": "add_dependency", "ticket": "T-002", "dependency": "T-001"}]}.`)
		}
		list = body.Ops
	}
	if len(list) > events.MaxGraphOps {
		return out, usable(events.LimitError{What: "the change", Got: len(list), Limit: events.MaxGraphOps,
			Unit: "operations long"}, "")
	}
	for i, raw := range list {
		ops, p := readOperation(c, session, raw)
		if p != nil {
			p.Message = fmt.Sprintf("operation %d: %s", i+1, p.Message)
			return out, p
		}
		out.Ops = append(out.Ops, ops...)
	}
	return out, usable(out.Check(), "Operations: "+strings.Join(append(events.GraphOps(), graphSetDependencies), ", ")+
		"; GET /api/gui/mma_status lists the tickets. Ids have letters, digits, - and _.")
}

// readOperation parses one operation. An operation with several dependencies becomes several operations.
func readOperation(c *core.Call, session string, raw json.RawMessage) ([]events.GraphOp, *problem.Problem) {
	members, ok := request.Object(raw)
	var body mutateOp
	if !ok || json.Unmarshal(raw, &body) != nil {
		return nil, problem.New(http.StatusBadRequest, "it is not an object, or one of its members has the wrong type",
			`Send {"op": "add_dependency", "ticket": "T-002", "dependency": "T-001"}.`)
	}
	// order-independent: the error names any one of them
	for name := range members {
		if !slices.Contains(mutateMembers(), name) {
			return nil, problem.New(http.StatusBadRequest, "an operation does not accept "+request.Clip(name, 64), "It accepts "+
				strings.Join(mutateMembers(), ", ")+".")
		}
	}
	op, depends, p := body.read()
	if p != nil {
		return nil, p
	}
	switch op.Op {
	case events.GraphAddDependency, events.GraphRemoveDependency:
		return each(op, depends), nil
	case graphSetDependencies:
		return setDependencies(c, session, op.Ticket, depends)
	case events.GraphAddTicket:
		op.New.DependsOn = request.List(depends)
	}
	return []events.GraphOp{op}, nil
}

// each returns one operation for every dependency. Without dependencies it returns the operation itself, which is
// then rejected.
func each(op events.GraphOp, depends []string) []events.GraphOp {
	if len(depends) == 0 {
		return []events.GraphOp{op}
	}
	out := make([]events.GraphOp, len(depends))
	for i, d := range depends {
		out[i] = op
		out[i].Dependency = d
	}
	return out
}

// setDependencies returns the operations that lead from a ticket's current dependencies to the given ones.
func setDependencies(c *core.Call, session, ticket string, want []string) ([]events.GraphOp, *problem.Problem) {
	var now []string
	found := false
	err := c.Read(session, func(s *projections.Set) {
		t, ok := s.Ticket(ticket)
		now, found = t.DependsOn, ok
	})
	switch {
	case err != nil:
		return nil, problem.Of(err)
	case !found:
		return nil, problem.New(http.StatusConflict, "no ticket "+request.Clip(ticket, events.MaxToken),
			"Nothing was changed; GET /api/gui/mma_status lists the tickets.")
	}
	var ops []events.GraphOp
	for _, d := range now {
		if !slices.Contains(want, d) {
			ops = append(ops, events.GraphOp{Op: events.GraphRemoveDependency, Ticket: ticket, Dependency: d})
		}
	}
	for _, d := range want {
		if !slices.Contains(now, d) {
			ops = append(ops, events.GraphOp{Op: events.GraphAddDependency, Ticket: ticket, Dependency: d})
		}
	}
	if len(ops) == 0 {
		return nil, problem.New(http.StatusConflict, "the ticket already has these "+
			"dependencies", "Nothing was changed.")
	}
	return ops, nil
}

// read resolves aliases.
func (b mutateOp) read() (op events.GraphOp, depends []string, p *problem.Problem) {
	take := func(names string, values ...string) string {
		v, wrong := request.OneOf(names, values...)
		if p == nil {
			p = wrong
		}
		return v
	}
	op = events.GraphOp{
		Op: operationName(take("op and action", b.Op, b.Action)), Ticket: take("ticket, ticket_id and id", b.Ticket,
			b.TicketID, b.ID),
		Priority: strings.ToLower(b.Priority), Model: take("model and model_override", b.Model, b.ModelOverride),
		Persona: take("persona and persona_id", b.Persona, b.PersonaID), StepMode: b.StepMode,
	}
	if op.Op == events.GraphAddTicket {
		op.Track = take("track and track_id", b.Track, b.TrackID)
		op.New = &events.Ticket{
			ID: op.Ticket, Description: take("description and prompt", b.Description, b.Prompt), TargetFile: b.TargetFile,
			ContextRequirements: request.List(slices.Concat(b.Context, b.ContextRequirements)), Priority: op.Priority,
			ModelOverride: op.Model, PersonaID: op.Persona, StepMode: op.StepMode,
		}
		op.Priority, op.Model, op.Persona, op.StepMode = "", "", "", false
	}
	if op.Op == events.GraphSetDescription {
		op.Description = take("description and prompt", b.Description, b.Prompt)
	}
	if p != nil {
		return op, nil, p
	}
	depends, p = b.dependencies()
	return op, depends, p
}

func (b mutateOp) dependencies() ([]string, *problem.Problem) {
	var out []string
	if b.Dependency != "" {
		out = append(out, b.Dependency)
	}
	if len(b.DependsOn) == 0 {
		return out, nil
	}
	var one string
	var list []string
	switch {
	case json.Unmarshal(b.DependsOn, &one) == nil:
		list = []string{one}
	case json.Unmarshal(b.DependsOn, &list) != nil:
		return nil, problem.New(http.StatusBadRequest, "depends_on must be an id or a list of ids",
			`Send "depends_on": ["T-001"].`)
	}
	for _, id := range list {
		if len(out) > events.MaxGraphOps { // already over every limit
			break
		}
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// operationName expands short names of operations.
func operationName(name string) string {
	switch name = strings.ToLower(name); name {
	case "add", "add_edge", "depend":
		return events.GraphAddDependency
	case "remove", "remove_edge", "delete", "delete_dependency":
		return events.GraphRemoveDependency
	case "modify", "modify_dependencies":
		return graphSetDependencies
	case "create_ticket", "new_ticket":
		return events.GraphAddTicket
	case "delete_ticket":
		return events.GraphRemoveTicket
	case "priority":
		return events.GraphSetPriority
	}
	return name
}
