package asks

import (
	"net/http"

	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
)

// AskLine is one line of the inbox.
type AskLine struct {
	RequestID string `json:"request_id"` // what /api/ask/respond accepts
	State     string `json:"state"`      // pending, settled
	projections.Ask
}

// askList is the answer of GET /api/asks.
type askList struct {
	Asks []AskLine `json:"asks"`
}

const (
	StatePending = "pending"
	stateSettled = "settled"
	stateAll     = "all"
)

// getAsks lists the asks that wait for the user, oldest first.
func getAsks() func(*core.Call) error {
	shown := inboxes("asks", func(lines []AskLine) any { return askList{lines} })
	return func(c *core.Call) error { return showInbox(c, shown) }
}

// inboxes returns renderings of the asks in each state that a query may name.
func inboxes(name string, of func([]AskLine) any) map[string]live.Rendering {
	shown := map[string]live.Rendering{}
	for _, state := range []string{StatePending, stateSettled, stateAll} {
		shown[state] = request.View(name+", "+state, func(s *projections.Set) (any, error) {
			return of(Inbox(s, state)),
				nil
		}, "asks")
	}
	shown[""] = shown[StatePending]
	return shown
}

// showInbox answers with the rendering for the state in the query.
func showInbox(c *core.Call, shown map[string]live.Rendering) error {
	wanted, ok := shown[c.Query().Get("state")]
	if !ok {
		return problem.New(http.StatusBadRequest, "no such state", "Use pending, settled or all.")
	}
	return c.ShowAt(c.Core.Past, wanted)
}

// Inbox lists the asks in a state, in the order in which they were raised.
func Inbox(s *projections.Set, state string) []AskLine {
	all := s.OpenAsks
	if state != StatePending {
		all = s.Asks
	}
	lines := []AskLine{}
	for _, a := range all() {
		line := AskLine{RequestID: a.AskRaised.Ask, State: StatePending, Ask: a}
		if !a.Open() {
			line.State = stateSettled
		}
		if state == stateAll || state == line.State {
			lines = append(lines, line)
		}
	}
	return lines
}
