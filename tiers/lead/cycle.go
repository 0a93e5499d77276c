package lead

import (
	"slices"

	"manualslop/events"
)

// Marks of the depth-first search.
const (
	unseen = iota
	onPath
	cleared
)

// search finds a cycle; the graph has at most MaxTickets nodes, which limits the recursion.
type search struct {
	index   map[string]int
	tickets []events.Ticket
	mark    []int
	path    []string
}

// findCycle returns a cycle of dependencies, with its first id repeated at the end, or nil. Ids
// are distinct. Dependencies on tickets outside the plan cannot be part of a cycle, because a
// planned ticket never gains a dependency.
func findCycle(tickets []events.Ticket) []string {
	s := search{index: make(map[string]int, len(tickets)), tickets: tickets, mark: make([]int, len(tickets))}
	for i, t := range tickets {
		s.index[t.ID] = i
	}
	for i := range tickets {
		if cycle := s.visit(i); cycle != nil {
			return cycle
		}
	}
	return nil
}

func (s *search) visit(i int) []string {
	id := s.tickets[i].ID
	switch s.mark[i] {
	case cleared:
		return nil
	case onPath:
		return append(slices.Clone(s.path[slices.Index(s.path, id):]), id)
	}
	s.mark[i] = onPath
	s.path = append(s.path, id)
	for _, d := range s.tickets[i].DependsOn {
		if next, known := s.index[d]; known {
			if cycle := s.visit(next); cycle != nil {
				return cycle
			}
		}
	}
	s.path = s.path[:len(s.path)-1]
	s.mark[i] = cleared
	return nil
}
