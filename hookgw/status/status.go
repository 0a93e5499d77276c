package status

import (
	"net/http"
	"strings"

	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/live"
)

// Status reports whether requests can be sent, and nothing else, because it needs no token.
func Status(c *core.Call) error {
	if c.Gw.Cfg.OpensSession && c.Gw.Cfg.Models.Current() == "" {
		c.Response.Header().Set("Retry-After", "1")
		return problem.New(http.StatusServiceUnavailable, "the engine is starting: no session is open yet",
			"Ask again in a second.")
	}
	return c.ReplyFixed(request.FixedOK)
}

// MmaStatusView renders the read model. If a role that the session needs is missing, ai_status says so, because
// nothing continues without it.
func MmaStatusView(g *core.State) live.Rendering {
	_, missing := g.Cfg.Roles()
	if len(missing) == 0 {
		return request.View("mma_status", func(s *projections.Set) (any, error) { return s.MMAStatus(), nil }, "mma_status")
	}
	status := "waiting: roles not running: " + strings.Join(missing, ", ")
	shown := request.View("mma_status, waiting", func(s *projections.Set) (any, error) {
		v := s.MMAStatus()
		v.AIStatus = status
		return v, nil
	}, "mma_status")
	shown.Variant = status
	return shown
}

// oldDiagnostics is the answer of the oldest guide's GET /diagnostics.
type oldDiagnostics struct {
	projections.Diagnostics
	wire.Performance
}

func getOldDiagnostics(c *core.Call) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	out := oldDiagnostics{Performance: c.Gw.Cfg.Host.Performance()}
	if err := c.Read(session, func(s *projections.Set) { out.Diagnostics = s.Diagnostics() }); err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

func mmaStatus(c *core.Call) error { return c.Show(MmaStatusView(c.Gw)) }
