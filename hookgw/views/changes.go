package views

import (
	"net/http"

	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
	"manualslop/projections/diffs"
)

// getChanges answers with the changes of a session or of one ticket.
func getChanges(c *core.Call) error {
	return show(c, func(s *projections.Set) (any, error) { return changesOf(c, s), nil })
}

func changesOf(c *core.Call, s *projections.Set) projections.Changes {
	if ticket := c.Query().Get("ticket"); ticket != "" {
		return s.Changes().Of(ticket)
	}
	return s.Changes()
}

// getDiff answers with the change of one file.
func getDiff(c *core.Call) error {
	path, workspace := c.Query().Get("path"), c.Query().Get("workspace")
	var change projections.Change
	found := false
	err := c.ReadAt(c.Core.Past, func(s *projections.Set) error {
		for _, f := range changesOf(c, s).Files {
			if f.Path == path && f.Workspace == workspace {
				change, found = f, true
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case !found:
		return problem.New(http.StatusNotFound, "no call of the session changed this file", "GET /api/changes lists them.")
	case c.Gw.Cfg.Blobs == nil:
		return problem.New(http.StatusServiceUnavailable, "this gateway cannot read file contents",
			"slop changes --diff shows the difference.")
	}
	return c.ReplyUnlessKnown(diffs.Of(c.Request.Context(), c.Gw.Cfg.Blobs, change))
}
