package status

import (
	"net/http"

	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// getRoles lists the present actors and the missing roles.
func getRoles(c *core.Call) error {
	present, missing := c.Gw.Cfg.Roles()
	return c.Reply(http.StatusOK, wire.RoleList{Present: request.List(present), Missing: request.List(missing)})
}
