package status

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// HealthRoutes returns the routes for the health of the program.
func HealthRoutes(g *core.State) []request.Route {
	const get, group = http.MethodGet, "Status"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: get, Pattern: "/api/requests", Right: access.RightRead, Group: group, Query: of, Gives: OpenRequests{},
			Doc: "Lists the requests of the session that have no outcome yet, and what each waits for: a time, the " +
				"user, a newer program, or another process.",
			Handle: g.In(getRequests)},
		{Method: get, Pattern: "/api/gui_health", Right: access.RightRead, Group: group, Query: of, Gives: wire.GUIHealth{},
			Doc:    "Reports whether everything works, and what does not; also answers while the bus is unreachable.",
			Always: true, Handle: g.In(getHealth)},
	}
}

// getHealth answers only from the knowledge of this process.
func getHealth(c *core.Call) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	present, missing := c.Gw.Cfg.Roles()
	out := wire.GUIHealth{IOPoolAlive: slices.ContainsFunc(present, events.IsWorker)}
	var reasons []string
	if away := c.Gw.Reachable(); away != nil {
		reasons = append(reasons, away.Message)
	}
	if full := c.Gw.Cfg.Bus.Room(); full != nil {
		reasons = append(reasons, "not everything can be stored: "+full.Error())
	}
	if ended := c.Gw.Cfg.Models.Err(); ended != nil {
		reasons = append(reasons, "the read models are no longer updated: "+ended.Error())
	}
	reasons = append(reasons, tooNew(c.Gw.Cfg.Delays())...)
	if len(missing) > 0 {
		reasons = append(reasons, "roles not running: "+strings.Join(missing, ", "))
	}
	if view, ok := c.Gw.Cfg.Models.Session(session); ok {
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

// tooNew lists the requests that no running program can read.
func tooNew(delays map[uint64]string) []string {
	found := map[string]bool{}
	for _, why := range delays { // order-independent: sorted below
		if strings.HasPrefix(why, events.NeedsNewer) {
			found[why] = true
		}
	}
	var out []string
	for _, why := range slices.Sorted(maps.Keys(found)) {
		out = append(out, "a request "+why)
	}
	return out
}

// OpenRequests is the answer of GET /api/requests.
type OpenRequests struct {
	Requests []projections.Waiting `json:"requests"`
}

// getRequests answers with the open requests in the log and what processes report about them.
func getRequests(c *core.Call) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	var out OpenRequests
	if err := c.Read(session, func(s *projections.Set) { out.Requests = s.Waiting() }); err != nil {
		return err
	}
	delays := c.Gw.Cfg.Delays()
	for i, r := range out.Requests {
		if why := delays[r.Seq]; why != "" {
			out.Requests[i].WaitsFor = why
		}
	}
	return c.Reply(http.StatusOK, out)
}
