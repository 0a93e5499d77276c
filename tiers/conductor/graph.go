package conductor

import (
	"cmp"
	"fmt"
	"slices"

	"manualslop/events"
)

// plan puts tier 2's tickets into the session's graph.
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
	tr.planned, tr.open = true, len(x.Tickets)
	tr.tickets = make([]*ticket, len(x.Tickets))
	for i, p := range x.Tickets {
		p.Status, p.BlockedReason, p.RetryCount = events.StatusTodo, "", 0
		t := &ticket{Ticket: p, track: tr, order: s.planned}
		s.planned++
		s.tickets[p.ID], tr.tickets[i] = t, t
	}
	for _, t := range tr.tickets {
		s.link(t)
	}
}

// firstTaken is the first id that the session or the plan itself already has.
func (s *State) firstTaken(tickets []events.Ticket) string {
	seen := make(map[string]bool, len(tickets))
	for _, p := range tickets {
		if seen[p.ID] || s.tickets[p.ID] != nil {
			return p.ID
		}
		seen[p.ID] = true
	}
	return ""
}

func (s *State) link(t *ticket) {
	seen := make(map[string]bool, len(t.DependsOn))
	for _, id := range t.DependsOn {
		if seen[id] {
			continue
		}
		seen[id] = true
		d := s.tickets[id]
		if d == nil {
			t.unknown = append(t.unknown, id)
			t.openDeps++
			continue
		}
		t.deps = append(t.deps, d)
		d.dependants = append(d.dependants, t)
		if d.phase != completed {
			t.openDeps++
		}
		if d.phase == blocked {
			t.blockedDeps++
		}
	}
	s.touch(t)
}

// move is the only place where a ticket changes its phase; it keeps every count.
func (s *State) move(t *ticket, to phase) {
	from := t.phase
	t.phase = to
	s.busy += count(to.usesSlot()) - count(from.usesSlot())
	t.track.moving += count(to.moves()) - count(from.moves())
	if from == ready {
		s.ready = slices.DeleteFunc(s.ready, func(r *ticket) bool { return r == t })
	}
	if to == ready {
		i, _ := slices.BinarySearchFunc(s.ready, t, startsBefore)
		s.ready = slices.Insert(s.ready, i, t)
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

// blocker is the first dependency that is blocked; nil if there is none.
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
