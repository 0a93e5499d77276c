package script

import "manualslop/events"

// Assigner gives each request of one session its line. It is a pure fold: feed
// it every ModelRequested event of the session once or more, in stream order.
// Not for use by two goroutines at once.
type Assigner struct {
	script *Script
	taken  []bool         // by position in the script
	given  map[string]int // request id to line number, 0 for none
}

// NewAssigner begins a session in which no line is taken.
func NewAssigner(s *Script) *Assigner {
	return &Assigner{script: s, taken: make([]bool, len(s.lines)), given: map[string]int{}}
}

// Assign returns the number of the line that answers the request, whose newest
// message is newest; false if none is left for it ([Exhausted]). The same
// request gets the same answer again. Other events and requests to other
// providers take no line.
func (a *Assigner) Assign(request *events.Event, newest string) (line int, ok bool) {
	m, is := request.Payload.(events.ModelRequested)
	if !is || m.Provider != Name {
		return 0, false
	}
	if line, known := a.given[request.ID]; known {
		return line, line > 0
	}
	for i := range a.script.lines {
		l := &a.script.lines[i]
		if !a.taken[i] && l.matches(&m, newest) {
			a.taken[i], a.given[request.ID] = true, l.Number
			return l.Number, true
		}
	}
	a.given[request.ID] = 0
	return 0, false
}
