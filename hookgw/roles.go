package hookgw

import (
	"net/http"

	"manualslop/hookgw/request"
)

// getRoles tells which actors are at work and which roles nobody runs.
func getRoles(c *call) error {
	present, missing := c.gw.cfg.Roles()
	return c.Reply(http.StatusOK, RoleList{request.List(present), request.List(missing)})
}

// RoleList is the answer of GET /api/roles: the actors at work, and the roles that nobody runs.
type RoleList struct {
	Present []string `json:"present"`
	Missing []string `json:"missing"`
}
