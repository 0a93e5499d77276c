package hookgw

import (
	"net/http"

	"manualslop/projections"
)

// askLine is one line of the inbox.
type askLine struct {
	RequestID string `json:"request_id"` // what /api/ask/respond takes
	State     string `json:"state"`      // pending, settled
	projections.Ask
}

const (
	statePending = "pending"
	stateSettled = "settled"
	stateAll     = "all"
)

// getAsks is the inbox: what waits for the person, oldest first.
func getAsks(c *call) error {
	lines, err := c.inbox()
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, map[string]any{"asks": lines})
}

// inbox lists the asks of the session in the state that the query names.
func (c *call) inbox() ([]askLine, error) {
	session, err := c.session()
	if err != nil {
		return nil, err
	}
	state := c.r.URL.Query().Get("state")
	switch state {
	case "":
		state = statePending
	case statePending, stateSettled, stateAll:
	default:
		return nil, refuse(http.StatusBadRequest, "there is no such state", "Use pending, settled or all.")
	}
	var lines []askLine
	err = c.read(session, func(s *projections.Set) { lines = inbox(s, state) })
	return lines, err
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
