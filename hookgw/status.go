package hookgw

import (
	"net/http"
	"strings"

	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
)

// status says whether requests can be sent; nothing else, because it needs no token.
func status(c *call) error {
	if c.gw.cfg.OpensSession && c.gw.cfg.Models.Current() == "" {
		c.Response.Header().Set("Retry-After", "1")
		return problem.Refuse(http.StatusServiceUnavailable, "the engine is starting: no session is open yet", "Ask again in a second.")
	}
	return c.ReplyFixed(request.FixedOK)
}

// mmaStatusView renders the read model; where nobody runs a role that the
// session needs, ai_status says so, because nothing goes on without it.
func (g *Gateway) mmaStatusView() live.Rendering {
	_, missing := g.cfg.Roles()
	if len(missing) == 0 {
		return request.View("mma_status", func(s *projections.Set) (any, error) { return s.MMAStatus(), nil }, "mma_status")
	}
	status := "waiting: nobody runs " + strings.Join(missing, ", ")
	shown := request.View("mma_status, waiting", func(s *projections.Set) (any, error) {
		v := s.MMAStatus()
		v.AIStatus = status
		return v, nil
	}, "mma_status")
	shown.Variant = status
	return shown
}

func mmaStatus(c *call) error { return c.Show(c.gw.mmaStatusView()) }
