package hookgw

import (
	"bytes"
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/projections"
)

// getSession answers {"session": {"entries": […]}}.
func getSession() func(*call) error {
	shown := view("session", func(s *projections.Set) (any, error) {
		entries, err := s.View("session")
		return map[string]json.RawMessage{"session": entries}, err
	}, "session")
	return func(c *call) error { return c.show(shown) }
}

// postSession replaces the discussion entries by those of the same body.
func postSession(c *call) error {
	session, err := c.someSession()
	if err != nil {
		return err
	}
	inner, ok := object(c.fields["session"])
	entries := bytes.TrimSpace(inner["entries"])
	if !ok || len(entries) == 0 || entries[0] != '[' {
		return refuse(http.StatusBadRequest, "there is no list of entries", `Send {"session": {"entries": […]}}.`)
	}
	e, err := c.gw.event(c.gw.person, session, events.SessionEdited{Entries: c.gw.mask(entries)})
	if err != nil {
		return err
	}
	if err := c.publish(c.gw.person, e); err != nil {
		return err
	}
	return c.reply(http.StatusOK, map[string]string{"status": "updated"})
}

// getSessions lists the sessions of the project.
func getSessions(c *call) error {
	m := c.gw.cfg.Models
	return c.reply(http.StatusOK, map[string]any{"current": m.Current(), "sessions": m.Sessions()})
}
