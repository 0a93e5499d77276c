package project

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// projectAnswer is the answer of GET /api/project.
type projectAnswer struct {
	Project projections.FlatProject `json:"project"`
}

// projectRequest holds tables of the project document, in the flat shape or the full one.
type projectRequest struct {
	Project map[string]any `json:"project"`
}

func getProject() func(*core.Call) error {
	shown := request.View("project", func(s *projections.Set) (any, error) { return projectAnswer{s.FlatProject()}, nil },
		"project", "session", "settings")
	return func(c *core.Call) error { return c.Show(shown) }
}

func getProjectDocument() func(*core.Call) error {
	shown := request.View("project/document", func(s *projections.Set) (any, error) { return s.Project(), nil }, "project",
		"settings")
	return func(c *core.Call) error { return c.Show(shown) }
}

func getProjectSwitch() func(*core.Call) error {
	shown := request.View("project_switch", func(s *projections.Set) (any, error) { return s.ProjectSwitch(), nil },
		"project")
	return func(c *core.Call) error { return c.Show(shown) }
}

// postProject merges the body into the document. A discussion in the body changes the session's discussions, which are
// not part of the document here.
func postProject(c *core.Call) error {
	inner, ok := request.Object(c.Fields["project"])
	if !ok || len(c.Fields) != 1 {
		return problem.New(http.StatusBadRequest, "the body must have the member project and no others",
			`Send {"project": {"project": {"name": "…"}}}.`)
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	talk := inner["discussion"]
	delete(inner, "discussion")
	changes, err := json.Marshal(inner)
	if err != nil {
		return err
	}
	if err := EditProject(c, session, events.ProjectEdited{Changes: c.Gw.Mask(changes)}, ""); err != nil {
		return err
	}
	if err := postedDiscussion(c, session, talk); err != nil {
		return err
	}
	return c.ReplyFixed(request.FixedUpdated)
}

// EditProject publishes changes to the document, which may come from a preset, and the files that it now tracks. It
// checks everything before it publishes anything.
func EditProject(c *core.Call, session string, edit events.ProjectEdited, preset string) error {
	if bytes.Equal(edit.Changes, []byte("{}")) {
		return nil
	}
	var doc map[string]any
	var size int
	var due bool
	var err error
	if rerr := c.Read(session, func(s *projections.Set) {
		doc, size, err = changed(s, edit.Changes)
		due = err == nil && (preset != "" || s.TracksOthers(doc))
	}); rerr != nil {
		return rerr
	}
	switch {
	case err != nil:
		return problem.New(http.StatusBadRequest, "project must be a JSON object of tables",
			`Send {"project": {"project": {"name": "…"}}}.`)
	case size > projections.MaxProjectBytes:
		return problem.New(http.StatusRequestEntityTooLarge, "the project document is too large",
			fmt.Sprintf("Keep it below %d KiB; move long texts to files and give their "+
				"paths.", projections.MaxProjectBytes>>10))
	}
	if wrong := projections.CheckProject(doc); wrong != "" {
		return problem.New(http.StatusBadRequest, "the project is not valid: "+request.Clip(wrong, 200),
			"GET /api/project shows the known tables; see docs/hooks.md.")
	}
	var tracked *events.FilesTracked
	if due && c.Gw.Cfg.ProjectFiles != nil {
		found, err := Expand(c.Request.Context(), c.Gw, doc, preset)
		if err != nil {
			return err
		}
		tracked = &found
	}
	edit.Ignored = projections.IgnoredKeys(doc)
	if err := publishEdit(c, session, edit, tracked); err != nil || tracked == nil {
		return err
	}
	return Retrack(c.Request.Context(), c.Gw, session, "") // if another gateway changed the document meanwhile
}

// publishEdit publishes changes to the document and the files found for them; nil files mean that they are unchanged.
func publishEdit(c *core.Call, session string, edit events.ProjectEdited, tracked *events.FilesTracked) error {
	release, err := c.Gw.Track(c.Request.Context(), session) // or a gateway that starts would find the files missing
	if err != nil {
		return err
	}
	defer release()
	if _, err := c.PublishChecked(session, edit, (*projections.Set).ProjectRefusal); err != nil || tracked == nil {
		return err
	}
	_, err = c.PublishChecked(session, *tracked, (*projections.Set).ProjectRefusal)
	return err
}

// changed returns the document with the changes applied, and its size.
func changed(s *projections.Set, changes json.RawMessage) (doc map[string]any, size int, err error) {
	now, err := json.Marshal(s.Project().Document)
	if err != nil {
		return nil, 0, err
	}
	merged, err := projections.MergePatch(now, changes)
	if err != nil {
		return nil, 0, err
	}
	err = json.Unmarshal(merged, &doc)
	return doc, len(merged), err
}

// Expand finds the files that a document tracks.
func Expand(ctx context.Context, g *core.State, doc map[string]any, preset string) (events.FilesTracked, error) {
	none := events.FilesTracked{}
	files, err := g.Files()
	if err != nil {
		return none, err
	}
	base, patterns, wrong := projections.FilePatterns(doc)
	if wrong != "" {
		return none, problem.New(http.StatusBadRequest, "the project is not valid: "+request.Clip(wrong, 200),
			"Send a list of paths and patterns.")
	}
	paths, skipped, err := files.Expand(ctx, base, patterns)
	if err != nil {
		return none, core.ProblemOf(err)
	}
	out := events.FilesTracked{BaseDir: base, Patterns: patterns, Paths: request.List(paths), Skipped: skipped,
		Preset: preset, Shown: projections.ShownFiles(doc)}
	if err := out.Check(); err != nil {
		return none, problem.New(http.StatusRequestEntityTooLarge, err.Error(),
			"Use narrower patterns; tools can also read files that are not listed.")
	}
	return out, nil
}

// postedDiscussion applies the roles and entries of a posted project if they differ from the current ones.
func postedDiscussion(c *core.Call, session string, raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var posted struct {
		Roles       []string                              `json:"roles"`
		History     []string                              `json:"history"`
		Active      string                                `json:"active"`
		Discussions map[string]projections.HistoryStretch `json:"discussions"`
	}
	if json.Unmarshal(c.Gw.Mask(raw), &posted) != nil {
		return problem.New(http.StatusBadRequest, "the discussion is not valid",
			`Send {"roles": […], "history": ["User:\nhello"]}.`)
	}
	var roles, history []string
	if err := c.Read(session, func(s *projections.Set) {
		roles, history = s.DiscussionRoles(),
			s.ActiveHistory()
	}); err != nil {
		return err
	}
	if posted.Roles != nil && !slices.Equal(posted.Roles, roles) {
		if wrong := projections.CheckRoles(posted.Roles); wrong != "" {
			return problem.New(http.StatusBadRequest, wrong, "Send a list of names.")
		}
		if _, err := discussions.AboutDiscussion(c, session, events.DiscussionChanged{Operation: events.DiscussionRoles,
			Roles: posted.Roles}); err != nil {
			return err
		}
		roles = posted.Roles
	}
	if posted.History != nil && !slices.Equal(posted.History, history) {
		return replaceHistory(c, session, posted.History, roles)
	}
	for _, d := range posted.Discussions {
		if len(d.History) > 0 {
			return discussions.ImportHistory(c, session, projections.History{Active: posted.Active,
				Discussions: posted.Discussions})
		}
	}
	return nil
}

// replaceHistory converts strings to entries.
func replaceHistory(c *core.Call, session string, texts, roles []string) error {
	entries := make([]projections.HistoryEntry, len(texts))
	for i, text := range texts {
		entries[i] = projections.ParseHistoryEntry(text, roles)
	}
	raw, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return discussions.ReplaceEntries(c, session, raw)
}
