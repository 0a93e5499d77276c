package conductor

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
)

// draft is the graph as it would be after a change: the changed tickets on top of the current
// state.
type draft struct {
	s       *State
	changed map[string]*drafted
	order   []*drafted // the same tickets, in the order in which they were first touched
	added   int
}

// drafted is a ticket of a draft.
type drafted struct {
	events.Ticket
	track *track
	gone  bool
}

// do carries out one operation. It returns the operation with all fields filled in, or the reason
// why it cannot be done.
func (d *draft) do(op events.GraphOp) (events.GraphOp, string) {
	if op.Op == events.GraphAddTicket {
		return d.add(op)
	}
	t, reason := d.free(op.Ticket)
	if reason != "" {
		return op, reason
	}
	switch op.Op {
	case events.GraphAddDependency:
		reason = d.mayDepend(t, op.Dependency)
	case events.GraphRemoveDependency:
		if !slices.Contains(t.DependsOn, op.Dependency) {
			reason = fmt.Sprintf("%s does not depend on %s", t.ID, op.Dependency)
		}
	case events.GraphRemoveTicket:
		if by := d.dependant(t.ID); by != "" {
			reason = fmt.Sprintf("%s depends on %s: remove that dependency first", by, t.ID)
		}
		t.gone = reason == ""
	case events.GraphSetPersona:
		if !d.s.has(op.Persona) {
			reason = d.s.noPersona(op.Persona)
		}
	}
	if reason == "" {
		op.Change(&t.Ticket)
	}
	return op, reason
}

// find returns a ticket of the draft; nil if there is none with that id.
func (d *draft) find(id string) *drafted {
	if t := d.changed[id]; t != nil {
		if t.gone {
			return nil
		}
		return t
	}
	t := d.s.tickets[id]
	if t == nil {
		return nil
	}
	return &drafted{Ticket: t.Ticket, track: t.track}
}

// dependsOn returns the dependencies of a ticket of the draft; none if there is no such ticket.
func (d *draft) dependsOn(id string) []string {
	if t := d.changed[id]; t != nil {
		if t.gone {
			return nil
		}
		return t.DependsOn
	}
	if t := d.s.tickets[id]; t != nil {
		return t.DependsOn
	}
	return nil
}

// free returns a ticket that may be changed and makes it part of the draft, or returns why it may
// not.
func (d *draft) free(id string) (*drafted, string) {
	t := d.find(id)
	if t == nil {
		return nil, fmt.Sprintf("there is no ticket %s", id)
	}
	if was := d.s.tickets[id]; was != nil && was.phase != todo && was.phase != ready && was.phase != blocked {
		return nil, fmt.Sprintf("%s cannot be changed: it is %s", id, was.phase)
	}
	d.keep(t)
	return t, ""
}

func (d *draft) keep(t *drafted) {
	if d.changed[t.ID] == nil {
		d.changed[t.ID] = t
		d.order = append(d.order, t)
	}
}

// add adds a new ticket to a running track.
func (d *draft) add(op events.GraphOp) (events.GraphOp, string) {
	fresh := op.Fresh()
	if d.s.taken(fresh.ID) || d.changed[fresh.ID] != nil {
		return op, fmt.Sprintf("there is or was a ticket %s already", fresh.ID)
	}
	if !d.s.has(fresh.PersonaID) {
		return op, d.s.noPersona(fresh.PersonaID)
	}
	if d.added++; d.s.extra+d.added > MaxAdded {
		return op, fmt.Sprintf("it would be over %d tickets added to this session, which is the limit", MaxAdded)
	}
	tr, reason := d.trackFor(op.Track, fresh.DependsOn)
	if reason != "" {
		return op, reason
	}
	depends := fresh.DependsOn
	fresh.DependsOn = []string{}
	t := &drafted{Ticket: fresh, track: tr}
	d.keep(t)
	for _, id := range depends {
		if reason := d.mayDepend(t, id); reason != "" {
			return op, reason
		}
		t.DependsOn = append(t.DependsOn, id)
	}
	whole := t.Ticket
	op.Track, op.New = tr.ID, &whole
	return op, ""
}

// trackFor returns the track of a new ticket: the named one, else that of its first dependency.
func (d *draft) trackFor(id string, depends []string) (*track, string) {
	var tr *track
	switch {
	case id != "":
		if tr = d.s.tracks[id]; tr == nil {
			return nil, fmt.Sprintf("there is no track %s at work", brief(id))
		}
	case len(depends) == 0:
		return nil, "it names no track and depends on no ticket of one"
	default:
		first := d.find(depends[0])
		if first == nil {
			return nil, fmt.Sprintf("there is no ticket %s", depends[0])
		}
		tr = first.track
	}
	switch {
	case tr.completed:
		return nil, fmt.Sprintf("track %s is completed", tr.ID)
	case !tr.planned:
		return nil, fmt.Sprintf("track %s has no plan", tr.ID)
	}
	return tr, ""
}

// mayDepend returns why a ticket cannot depend on another one, or "".
func (d *draft) mayDepend(t *drafted, id string) string {
	switch {
	case d.find(id) == nil:
		return fmt.Sprintf("there is no ticket %s", id)
	case slices.Contains(t.DependsOn, id):
		return fmt.Sprintf("%s depends on %s already", t.ID, id)
	case len(t.DependsOn) >= events.MaxGraphDependencies:
		return fmt.Sprintf("%s depends on %d tickets, which is the limit", t.ID, len(t.DependsOn))
	}
	if path := d.path(id, t.ID); path != nil {
		return brief("the dependencies would form a cycle: " + t.ID + " → " + strings.Join(path, " → "))
	}
	return ""
}

// path returns a shortest path from one ticket to another along dependencies, including both; nil
// if there is none.
func (d *draft) path(from, to string) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			var way []string
			for at := to; at != ""; at = came[at] {
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		for _, next := range d.dependsOn(queue[0]) {
			if _, seen := came[next]; !seen {
				came[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// dependant returns the first ticket that depends on the one with the given id, or "".
func (d *draft) dependant(id string) string {
	if was := d.s.tickets[id]; was != nil {
		for _, t := range was.dependants {
			if slices.Contains(d.dependsOn(t.ID), id) {
				return t.ID
			}
		}
	}
	for _, t := range d.order {
		if !t.gone && slices.Contains(t.DependsOn, id) {
			return t.ID
		}
	}
	return ""
}
