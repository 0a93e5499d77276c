package conductor

import (
	"fmt"
	"slices"

	"manualslop/events"
)

// mutation answers a user's change of the graph, which is carried out completely or not at all.
func (s *State) mutation(e *events.Event, x events.GraphMutationRequested) []events.Payload {
	if err := x.Check(); err != nil {
		// our words: package events writes this text.
		return refused(e, "", brief(err.Error()))
	}
	d := &draft{s: s, changed: map[string]*drafted{}}
	done := make([]events.GraphOp, len(x.Ops))
	for i, op := range x.Ops {
		var reason string
		if done[i], reason = d.do(op); reason != "" {
			return refused(e, op.Ticket, fmt.Sprintf("operation %d (%s): %s", i+1, op.Op, reason))
		}
	}
	return []events.Payload{events.GraphMutated{Request: e.ID, By: e.Actor, Ops: done}}
}

// mutated applies operations that were checked before.
func (s *State) mutated(x events.GraphMutated) {
	for _, op := range x.Ops {
		s.mutate(op)
	}
	for _, t := range s.touchedTickets {
		if t.phase == ready && t.openDeps > 0 {
			s.move(t, todo)
		}
	}
}

func (s *State) mutate(op events.GraphOp) {
	if op.Op == events.GraphAddTicket {
		s.addTicket(op)
		return
	}
	t := s.tickets[op.Ticket]
	op.Change(&t.Ticket)
	switch op.Op {
	case events.GraphAddDependency:
		s.depend(t, op.Dependency)
		s.unblockTrack(t.track)
	case events.GraphRemoveDependency:
		s.release(t, op.Dependency)
		s.unblockTrack(t.track)
	case events.GraphRemoveTicket:
		s.removeTicket(t)
		s.unblockTrack(t.track)
	case events.GraphSetPriority:
		if t.phase == ready {
			s.ready = without(s.ready, t)
			s.queue(t)
		}
	}
	s.touch(t)
}

// addTicket also connects the tickets that already depend on this id.
func (s *State) addTicket(op events.GraphOp) {
	tr := s.tracks[op.Track]
	t := s.place(tr, *op.New)
	s.extra++
	s.link(t)
	waiting := s.awaited[t.ID]
	delete(s.awaited, t.ID)
	for _, w := range waiting {
		w.unknown = slices.DeleteFunc(w.unknown, func(id string) bool { return id == t.ID })
		w.openDeps--
		s.depend(w, t.ID)
		s.unblockTrack(w.track)
		s.touch(w)
	}
	s.unblockTrack(tr)
}

// removeTicket removes a ticket that no other depends on.
func (s *State) removeTicket(t *ticket) {
	s.move(t, removed)
	for _, d := range t.deps {
		d.dependants = without(d.dependants, t)
	}
	for _, id := range t.unknown {
		s.awaited[id] = without(s.awaited[id], t)
	}
	delete(s.tickets, t.ID)
	s.removed[t.ID] = true
	t.track.tickets = without(t.track.tickets, t)
	t.track.open--
}
