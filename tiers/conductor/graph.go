package conductor

import (
	"cmp"
	"fmt"
	"slices"

	"manualslop/events"
)

// plan adds the tickets that tier 2 planned to the session's graph.
func (s *State) plan(x events.TicketsPlanned) {
	tr := s.tracks[x.Track]
	if tr == nil || tr.planned || tr.fault != "" {
		return
	}
	s.touchTrack(tr)
	if id := s.firstTaken(x.Tickets); id != "" {
		tr.fault = fmt.Sprintf("the plan uses the ticket id %s a second time", brief(id))
		return
	}
	s.enter(tr, x.Tickets)
}

// enter adds tickets with new ids to a track that has none.
func (s *State) enter(tr *track, tickets []events.Ticket) {
	tr.planned = true
	entered := make([]*ticket, len(tickets))
	for i, p := range tickets {
		entered[i] = s.place(tr, p)
	}
	for _, t := range entered {
		s.link(t)
	}
}

// place adds a ticket to its track, without its dependencies.
func (s *State) place(tr *track, p events.Ticket) *ticket {
	p.Status, p.BlockedReason, p.RetryCount = events.StatusTodo, "", 0
	t := &ticket{Ticket: p, track: tr, order: s.planned}
	s.planned++
	s.tickets[p.ID] = t
	tr.tickets = append(tr.tickets, t)
	tr.open++
	return t
}

// firstTaken returns the first id that the session or the plan itself already uses.
func (s *State) firstTaken(tickets []events.Ticket) string {
	seen := make(map[string]bool, len(tickets))
	for _, p := range tickets {
		if seen[p.ID] || s.taken(p.ID) {
			return p.ID
		}
		seen[p.ID] = true
	}
	return ""
}

// taken reports whether a ticket of the session has or had this id.
func (s *State) taken(id string) bool { return s.tickets[id] != nil || s.removed[id] }

func (s *State) link(t *ticket) {
	seen := make(map[string]bool, len(t.DependsOn))
	for _, id := range t.DependsOn {
		if !seen[id] {
			seen[id] = true
			s.depend(t, id)
		}
	}
	s.touch(t)
}

// depend makes a ticket depend on the one with the given id.
func (s *State) depend(t *ticket, id string) {
	d := s.tickets[id]
	if d == nil {
		t.unknown = append(t.unknown, id)
		s.awaited[id] = append(s.awaited[id], t)
		t.openDeps++
		return
	}
	t.deps = append(t.deps, d)
	d.dependants = append(d.dependants, t)
	t.openDeps += count(d.phase != completed)
	t.blockedDeps += count(d.phase == blocked)
}

// release removes a dependency on the ticket with the given id.
func (s *State) release(t *ticket, id string) {
	if i := slices.Index(t.unknown, id); i >= 0 {
		t.unknown = slices.Delete(t.unknown, i, i+1)
		s.awaited[id] = without(s.awaited[id], t)
		t.openDeps--
		return
	}
	d := s.tickets[id]
	t.deps, d.dependants = without(t.deps, d), without(d.dependants, t)
	t.openDeps -= count(d.phase != completed)
	t.blockedDeps -= count(d.phase == blocked)
}

func without(list []*ticket, t *ticket) []*ticket {
	return slices.DeleteFunc(list, func(x *ticket) bool { return x == t })
}

// move changes the phase of a ticket, and updates all counters. No other function changes a phase.
func (s *State) move(t *ticket, to phase) {
	from := t.phase
	t.phase = to
	s.occupy(t)
	s.busy += count(to.usesSlot()) - count(from.usesSlot())
	t.track.moving += count(to.moves()) - count(from.moves())
	if from == ready {
		s.ready = without(s.ready, t)
	}
	if to == ready {
		s.queue(t)
	}
	if to == completed {
		t.track.open--
	}
	shift := count(to == blocked) - count(from == blocked)
	if shift != 0 || to == completed {
		for _, d := range t.dependants {
			d.blockedDeps += shift
			d.openDeps -= count(to == completed)
			s.touch(d)
		}
	}
	s.touch(t)
}

// queue inserts a ready ticket among those that wait for a slot.
func (s *State) queue(t *ticket) {
	i, _ := slices.BinarySearchFunc(s.ready, t, startsBefore)
	s.ready = slices.Insert(s.ready, i, t)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// startsBefore orders tickets that wait for a slot.
func startsBefore(a, b *ticket) int {
	return cmp.Or(cmp.Compare(rank(a.Priority), rank(b.Priority)), cmp.Compare(a.order, b.order))
}

func rank(priority string) int {
	switch priority {
	case "high":
		return 0
	case "low":
		return 2
	}
	return 1
}

// blocker returns the first dependency that is blocked; nil if there is none.
func (t *ticket) blocker() *ticket {
	if t.blockedDeps == 0 {
		return nil
	}
	for _, d := range t.deps {
		if d.phase == blocked {
			return d
		}
	}
	return nil
}
