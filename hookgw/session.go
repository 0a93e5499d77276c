package hookgw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
)

// sessionDocument is the shape of GET and POST /api/session.
type sessionDocument struct {
	Session struct {
		Entries []json.RawMessage `json:"entries"`
	} `json:"session"`
}

// sessionList is the answer of GET /api/sessions.
type sessionList struct {
	Current  string         `json:"current"`
	Sessions []live.Summary `json:"sessions"`
}

// getSession answers {"session": {"entries": […]}}.
func getSession() func(*call) error {
	shown := request.View("session", func(s *projections.Set) (any, error) {
		entries, err := s.View("session")
		return struct {
			Session json.RawMessage `json:"session"`
		}{entries}, err
	}, "session")
	return func(c *call) error { return c.Show(shown) }
}

// postSession replaces the discussion entries by those of the same body.
func postSession(c *call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	inner, ok := request.Object(c.Fields["session"])
	entries := bytes.TrimSpace(inner["entries"])
	if !ok || len(entries) == 0 || entries[0] != '[' {
		return problem.Refuse(http.StatusBadRequest, "there is no list of entries", `Send {"session": {"entries": […]}}.`)
	}
	if err := c.replaceEntries(session, entries); err != nil {
		return err
	}
	return c.ReplyFixed(request.FixedUpdated)
}

// replaceEntries publishes entries for the active discussion: in one event, or
// in parts where they are large.
func (c *call) replaceEntries(session string, entries json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(entries, &list) != nil {
		return problem.Refuse(http.StatusBadRequest, "there is no list of entries", `Send {"session": {"entries": […]}}.`)
	}
	if len(list) > projections.MaxEntries {
		return problem.Refuse(http.StatusRequestEntityTooLarge, "there are too many entries", fmt.Sprintf("Send at most %d.", projections.MaxEntries))
	}
	masked := c.gw.Mask(entries)
	if json.Unmarshal(masked, &list) != nil { // the log keeps only what a read model can show
		return problem.Refuse(http.StatusUnprocessableEntity, "the entries cannot go on record: hiding their secrets leaves no list", "Nothing was changed; leave the secrets out.")
	}
	e, err := c.Stamp(c.gw.Person, session, events.SessionEdited{Entries: masked})
	if err != nil {
		return err
	}
	if len(e.Data) > smallUpload {
		return c.upload(session, events.UploadEntries, string(masked))
	}
	if err := c.Publish(c.gw.Person, e); err != nil {
		return err
	}
	return c.Counts(session, e.ID, (*projections.Set).DiscussionRefusal)
}

// getSessions lists the sessions of the project.
func getSessions(c *call) error {
	body, err := c.gw.cfg.Models.Listed(func(current string, all []live.Summary) ([]byte, error) {
		return request.Encode(sessionList{current, all})
	})
	if err != nil {
		return err
	}
	return c.ReplyJSON(http.StatusOK, body)
}
