package views

import (
	"net/http"

	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
	"manualslop/projections/diffs"
)

// getChanges answers with the changes of a session, also since a position, or of one ticket.
func getChanges(c *core.Call) error {
	changes, err := chosen(c)
	if err != nil {
		return err
	}
	return show(c, func(s *projections.Set) (any, error) { return changes(s), nil })
}

// chosen returns how to get the changes that the query asks for.
func chosen(c *core.Call) (func(*projections.Set) projections.Changes, error) {
	changes := (*projections.Set).Changes
	if c.Query().Has("from") {
		var earlier projections.Changes
		if err := c.ReadFrom(c.Core.Past, func(s *projections.Set) error {
			earlier = s.AllChanges()
			return nil
		}); err != nil {
			return nil, err
		}
		changes = func(s *projections.Set) projections.Changes { return s.ChangesSince(earlier) }
	}
	if ticket := c.Query().Get("ticket"); ticket != "" {
		return func(s *projections.Set) projections.Changes { return changes(s).Of(ticket) }, nil
	}
	return changes, nil
}

// getDiff answers with the change of one file.
func getDiff(c *core.Call) error {
	path, workspace := c.Query().Get("path"), c.Query().Get("workspace")
	var change projections.Change
	found := false
	changes, err := chosen(c)
	if err != nil {
		return err
	}
	err = c.ReadAt(c.Core.Past, func(s *projections.Set) error {
		for _, f := range changes(s).Files {
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
		return problem.New(http.StatusNotFound, "the file is not among these changes",
			"GET /api/changes with the same ticket, from and at lists their files.")
	case c.Gw.Cfg.Blobs == nil:
		return problem.New(http.StatusServiceUnavailable, "this gateway cannot read file contents",
			"slop changes --diff shows the difference.")
	}
	return c.ReplyUnlessKnown(diffs.Of(c.Request.Context(), c.Gw.Cfg.Blobs, change))
}
