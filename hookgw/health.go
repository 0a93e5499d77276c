package hookgw

import (
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
)

// GUIHealth is the answer of GET /api/gui_health, in the original's keys.
type GUIHealth struct {
	// Healthy tells whether everything goes on.
	Healthy bool `json:"healthy"`
	// DegradedReason is what does not; null while all is well.
	DegradedReason *string `json:"degraded_reason"`
	// LastAssert is the newest message of a part that gave up: a read model that
	// stopped on an event, or a decider; null if none did.
	LastAssert *string `json:"last_assert"`
	// IOPoolAlive tells whether a worker is there to run tools.
	IOPoolAlive bool `json:"io_pool_alive"`
}

// healthRoutes tell how the program itself is.
func (g *Gateway) healthRoutes() []request.Route {
	return []request.Route{{Method: http.MethodGet, Pattern: "/api/gui_health", Right: access.RightRead, Group: "Status", Query: []request.Parameter{request.SessionParameter()}, Gives: GUIHealth{},
		Doc: "Whether everything goes on, and what does not; answers while the bus is away, too.", Always: true, Handle: g.in(getHealth)}}
}

// getHealth answers from what is in this process alone.
func getHealth(c *call) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	present, missing := c.gw.cfg.Roles()
	out := GUIHealth{IOPoolAlive: slices.ContainsFunc(present, events.IsWorker)}
	var reasons []string
	if away := c.gw.Reachable(); away != nil {
		reasons = append(reasons, away.Message)
	}
	if len(missing) > 0 {
		reasons = append(reasons, "nobody runs "+strings.Join(missing, ", "))
	}
	if view, ok := c.gw.cfg.Models.Session(session); ok {
		if stalled := view.Summary().Stalled; stalled != "" {
			said := "a decider stopped: " + stalled
			reasons, out.LastAssert = append(reasons, said), &said
		}
		for _, stopped := range view.Stopped() {
			said := stopped.Error()
			reasons, out.LastAssert = append(reasons, said), &said
		}
	}
	if out.Healthy = len(reasons) == 0; !out.Healthy {
		all := strings.Join(reasons, "; ")
		out.DegradedReason = &all
	}
	return c.Reply(http.StatusOK, out)
}
