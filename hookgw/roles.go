package hookgw

import (
	"net/http"

	"manualslop/hookgw/program"
	"manualslop/hookgw/request"
)

// getRoles tells which actors are at work and which roles nobody runs.
func getRoles(c *call) error {
	present, missing := c.gw.cfg.Roles()
	return c.Reply(http.StatusOK, program.RoleList{Present: request.List(present), Missing: request.List(missing)})
}
