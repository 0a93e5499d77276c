package script

import "manualslop/events"

// Assigner assigns a script line to each request of one session. It is a pure fold: pass it every
// ModelRequested event of the session at least once, in stream order. It is not safe for
// concurrent use.
type Assigner struct {
	script *Script
	taken  []bool         // by position in the script
	given  map[string]int // request id to line number, 0 if it got no line
}

// NewAssigner returns an assigner for a session in which no line is taken yet.
func NewAssigner(s *Script) *Assigner {
	return &Assigner{script: s, taken: make([]bool, len(s.lines)), given: map[string]int{}}
}

// Assign returns the number of the line that answers the request, whose newest message is newest.
// It returns false if no matching line is left ([Exhausted]). The same request always gets the
// same result. Other events, and requests to other providers, take no line.
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
