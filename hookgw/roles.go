package hookgw

import (
	"net/http"
	"strings"

	"manualslop/projections"
	"manualslop/projections/live"
)

// getRoles tells which actors are at work and which roles nobody runs.
func getRoles(c *call) error {
	present, missing := c.gw.cfg.Roles()
	return c.reply(http.StatusOK, roleList{list(present), list(missing)})
}

// roleList is the answer of GET /api/roles.
type roleList struct {
	Present []string `json:"present"`
	Missing []string `json:"missing"`
}

// list makes an empty JSON array of nothing.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// mmaStatusView renders the read model; where nobody runs a role that the
// session needs, ai_status says so, because nothing goes on without it.
func (g *Gateway) mmaStatusView() live.Rendering {
	_, missing := g.cfg.Roles()
	if len(missing) == 0 {
		return view("mma_status", func(s *projections.Set) (any, error) { return s.MMAStatus(), nil }, "mma_status")
	}
	status := "waiting: nobody runs " + strings.Join(missing, ", ")
	shown := view("mma_status, waiting", func(s *projections.Set) (any, error) {
		v := s.MMAStatus()
		v.AIStatus = status
		return v, nil
	}, "mma_status")
	shown.Variant = status
	return shown
}

func mmaStatus(c *call) error { return c.show(c.gw.mmaStatusView()) }
