package discussions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
)

// SessionDocument is the body of GET and POST /api/session.
type SessionDocument struct {
	Session struct {
		Entries []json.RawMessage `json:"entries"`
	} `json:"session"`
}

// SessionList is the answer of GET /api/sessions.
type SessionList struct {
	Current  string         `json:"current"`
	Sessions []live.Summary `json:"sessions"`
}

// GetSession answers {"session": {"entries": […]}}. It writes the JSON itself, because the view of a long session is
// large and encoding/json would parse it again.
func GetSession() func(*core.Call) error {
	shown := live.Rendering{Name: "session", Models: []string{"session"}, Render: func(s *projections.Set) ([]byte,
		error) {
		view, err := s.View("session")
		return slices.Concat([]byte(`{"session":`), view, []byte("}\n")), err
	}}
	return func(c *core.Call) error { return c.Show(shown) }
}

// PostSession replaces the discussion entries with those in the body.
func PostSession(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	inner, ok := request.Object(c.Fields["session"])
	entries := bytes.TrimSpace(inner["entries"])
	if !ok || len(entries) == 0 || entries[0] != '[' {
		return problem.New(http.StatusBadRequest, "the body has no list of entries", `Send {"session": {"entries": […]}}.`)
	}
	if err := ReplaceEntries(c, session, entries); err != nil {
		return err
	}
	return c.ReplyFixed(request.FixedUpdated)
}

// ReplaceEntries publishes entries for the active discussion in one event, or in parts if they are large.
func ReplaceEntries(c *core.Call, session string, entries json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(entries, &list) != nil {
		return problem.New(http.StatusBadRequest, "the body has no list of entries", `Send {"session": {"entries": […]}}.`)
	}
	if len(list) > projections.MaxEntries {
		return problem.New(http.StatusRequestEntityTooLarge, "too many entries", fmt.Sprintf("Send at most %d entries.",
			projections.MaxEntries))
	}
	masked := c.Gw.Mask(entries)
	if json.Unmarshal(masked, &list) != nil { // the log keeps only what a read model can show
		return problem.New(http.StatusUnprocessableEntity, "the entries cannot be recorded: masking their secrets "+
			"breaks the list", "Nothing was changed; send the entries without the secrets.")
	}
	e, err := c.Stamp(c.Gw.Person, session, events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: masked})
	if err != nil {
		return err
	}
	if len(e.Data) > smallUpload {
		return upload(c, session, events.UploadEntries, string(masked))
	}
	if err := c.Publish(c.Gw.Person, e); err != nil {
		return err
	}
	return c.Counts(session, e.ID, (*projections.Set).DiscussionRefusal)
}

// GetSessions lists the sessions of the project.
func GetSessions(c *core.Call) error {
	body, err := c.Gw.Cfg.Models.Listed(func(current string, all []live.Summary) ([]byte, error) {
		return request.Encode(SessionList{current, all})
	})
	if err != nil {
		return err
	}
	return c.ReplyJSON(http.StatusOK, body)
}
