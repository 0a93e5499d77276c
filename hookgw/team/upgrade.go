package team

import (
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// upgradeAnswer reports whether the upgrade changed anything.
type upgradeAnswer struct {
	Status  string `json:"status"`
	Changed bool   `json:"changed"`
}

// postUpgrade switches an open session to the decisions and prompt texts of this program version.
func postUpgrade(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	var now projections.Settings
	if err := c.Read(session, func(s *projections.Set) { now = s.Settings() }); err != nil {
		return err
	}
	words, err := c.Gw.Cfg.Upgrade(c.Request.Context(), session, now)
	if errors.Is(err, events.ErrNewer) {
		return problem.New(http.StatusConflict, err.Error(), "Run a version of slop that is new enough for the "+
			"session.").WithCause(err)
	}
	if err != nil {
		return err
	}
	for _, w := range words {
		if _, err := c.PublishAsPerson(session, w); err != nil {
			return err
		}
	}
	return c.Reply(http.StatusOK, upgradeAnswer{"ok", len(words) > 0})
}
