package hookgw

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"manualslop/projections"
)

// getRoles tells which actors are at work and which roles nobody runs.
func getRoles(c *call) error {
	present, missing := c.gw.cfg.Roles()
	return c.reply(http.StatusOK, map[string][]string{"present": list(present), "missing": list(missing)})
}

// list makes an empty JSON array of nothing.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// mmaStatus answers with the read model; where nobody runs a role that the
// session needs, ai_status says so, because nothing goes on without it.
func mmaStatus(c *call) error {
	session, err := c.session()
	if err != nil {
		return err
	}
	var body json.RawMessage
	rerr := c.read(session, func(s *projections.Set) {
		v := s.MMAStatus()
		if _, missing := c.gw.cfg.Roles(); len(missing) > 0 {
			v.AIStatus = "waiting: nobody runs " + strings.Join(missing, ", ")
		}
		body, err = json.Marshal(v)
	})
	if err := errors.Join(rerr, err); err != nil {
		return err
	}
	return c.reply(http.StatusOK, body)
}
