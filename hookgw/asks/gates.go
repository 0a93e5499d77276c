package asks

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
	"manualslop/projections/live"
)

// gates returns the three approval gates of Manual Slop. Each has its own events, questions, endpoints and buttons;
// an answer at one gate never counts at another.
func gates() []string { return []string{events.GateTool, events.GateStep, events.GateSpawn} }

// gateAsks is the answer of GET /api/asks/{gate}.
type gateAsks struct {
	Gate string    `json:"gate"`
	Asks []AskLine `json:"asks"`
}

// readGate returns the gate in the path.
func readGate(c *core.Call) (string, error) {
	name := c.Vars["gate"]
	if !slices.Contains(gates(), name) {
		return "", problem.New(http.StatusNotFound, "no such gate", "The gates are "+strings.Join(gates(), ", ")+
			"; GET /api/asks lists the asks of all kinds.")
	}
	return name, nil
}

// getGateAsks lists the asks of one gate.
func getGateAsks() func(*core.Call) error {
	shown := map[string]map[string]live.Rendering{}
	for _, gate := range gates() {
		shown[gate] = inboxes("asks of "+gate, func(lines []AskLine) any {
			return gateAsks{gate, slices.DeleteFunc(lines, func(l AskLine) bool { return l.Gate != gate })}
		})
	}
	return func(c *core.Call) error {
		gate, err := readGate(c)
		if err != nil {
			return err
		}
		return showInbox(c, shown[gate])
	}
}

// postGateRespond answers the named ask of one gate, or else its oldest open one. It never answers an ask of another
// gate.
func postGateRespond(c *core.Call) error {
	gate, err := readGate(c)
	if err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	id, response, err := readResponse(c)
	if err != nil {
		return err
	}
	ask, err := AskOf(c, session, id, gate)
	if err != nil {
		return err
	}
	return respond(c, session, ask, response)
}

// AskOf returns the open ask with this id, which must belong to one of the gates. Without an id it returns their
// oldest ask.
func AskOf(c *core.Call, session, id string, gates ...string) (projections.Ask, error) {
	gate := strings.Join(gates, " or ")
	if id != "" {
		ask, err := known(c, session, id)
		if err == nil && !slices.Contains(gates, ask.Gate) {
			err = problem.New(http.StatusConflict, fmt.Sprintf("this ask belongs to gate %s, not %s", ask.Gate, gate),
				"Nothing was answered; GET /api/asks shows the gate of each ask.")
		}
		return ask, err
	}
	var open []projections.Ask
	if err := c.Read(session, func(s *projections.Set) { open = s.OpenAsks() }); err != nil {
		return projections.Ask{}, err
	}
	at := slices.IndexFunc(open, func(a projections.Ask) bool { return slices.Contains(gates, a.Gate) })
	if at < 0 {
		return projections.Ask{}, problem.New(http.StatusNotFound, "no ask of the gate "+
			gate+" is open"+others(open),
			"GET /api/asks lists the open asks; POST /api/ask/respond answers any of them.")
	}
	return open[at], nil
}

// others names a few open asks of other gates, for a client that only knows that something is waiting.
func others(open []projections.Ask) string {
	const few = 3
	var names []string
	for _, a := range open[:min(few, len(open))] {
		names = append(names, a.Gate+" "+a.AskRaised.Ask)
	}
	if len(names) == 0 {
		return ""
	}
	return "; waiting at other gates: " + strings.Join(names, ", ")
}
