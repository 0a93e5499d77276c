package hookgw

import (
	"net/http"

	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
)

// askLine is one line of the inbox.
type askLine struct {
	RequestID string `json:"request_id"` // what /api/ask/respond takes
	State     string `json:"state"`      // pending, settled
	projections.Ask
}

// askList is the answer of GET /api/asks.
type askList struct {
	Asks []askLine `json:"asks"`
}

const (
	statePending = "pending"
	stateSettled = "settled"
	stateAll     = "all"
)

// getAsks is the inbox: what waits for the person, oldest first.
func getAsks() func(*call) error {
	shown := inboxes("asks", func(lines []askLine) any { return askList{lines} })
	return func(c *call) error { return c.inbox(shown) }
}

// inboxes are renderings of the asks in each state that a query may name.
func inboxes(name string, of func([]askLine) any) map[string]live.Rendering {
	shown := map[string]live.Rendering{}
	for _, state := range []string{statePending, stateSettled, stateAll} {
		shown[state] = request.View(name+", "+state, func(s *projections.Set) (any, error) { return of(inbox(s, state)), nil }, "asks")
	}
	shown[""] = shown[statePending]
	return shown
}

// inbox answers with the rendering of the state that the query names.
func (c *call) inbox(shown map[string]live.Rendering) error {
	wanted, ok := shown[c.Query().Get("state")]
	if !ok {
		return problem.Refuse(http.StatusBadRequest, "there is no such state", "Use pending, settled or all.")
	}
	return c.Show(wanted)
}

// inbox lists the asks in a state, in the order raised.
func inbox(s *projections.Set, state string) []askLine {
	all := s.OpenAsks
	if state != statePending {
		all = s.Asks
	}
	lines := []askLine{}
	for _, a := range all() {
		line := askLine{RequestID: a.AskRaised.Ask, State: statePending, Ask: a}
		if !a.Open() {
			line.State = stateSettled
		}
		if state == stateAll || state == line.State {
			lines = append(lines, line)
		}
	}
	return lines
}
