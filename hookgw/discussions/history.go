package discussions

import (
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// importRequest holds the text of a history.toml.
type importRequest struct {
	TOML string `json:"toml"`
}

// importAnswer reports what was imported.
type importAnswer struct {
	Status      string `json:"status"`
	Discussions int    `json:"discussions"`
	Entries     int    `json:"entries"`
	Active      string `json:"active"`
	// Ignored are the unknown keys of the file.
	Ignored []string `json:"ignored,omitempty"`
}

// exportAnswer is every discussion, as the text of a history.toml and as data.
type exportAnswer struct {
	TOML    string              `json:"toml"`
	History projections.History `json:"history"`
}

// postImport adds or replaces the discussions of a history.toml, all or none.
func postImport(c *core.Call) error {
	var want importRequest
	if err := c.Decode(&want, `{"toml": "…the text of history.toml…"}`); err != nil {
		return err
	}
	files, err := c.Gw.Files()
	if err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	h, err := files.ReadHistory(want.TOML)
	if err != nil {
		return core.ProblemOf(err)
	}
	if err := ImportHistory(c, session, h); err != nil {
		return err
	}
	out := importAnswer{Status: "ok", Discussions: len(h.Discussions), Ignored: h.Ignored}
	for _, d := range h.Discussions {
		out.Entries += len(d.History)
	}
	if err := c.Read(session, func(s *projections.Set) { out.Active = s.ActiveDiscussion() }); err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// ImportHistory publishes a history whose text has already been masked.
func ImportHistory(c *core.Call, session string, h projections.History) error {
	if wrong := h.Check(); wrong != "" {
		return problem.New(http.StatusBadRequest, wrong,
			`Send roles, active and [discussions.NAME] with history, a list of strings such as "User:\nhello"; docs/hooks.md shows it.`)
	}
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return upload(c, session, events.UploadHistory, string(raw))
}

func getExport(c *core.Call) error {
	files, err := c.Gw.Files()
	if err != nil {
		return err
	}
	session, err := c.Session()
	if err != nil {
		return err
	}
	var out exportAnswer
	if err := c.Read(session, func(s *projections.Set) { out.History = s.History() }); err != nil {
		return err
	}
	if out.TOML, err = files.WriteHistory(out.History); err != nil {
		return core.ProblemOf(err)
	}
	return c.Reply(http.StatusOK, out)
}
