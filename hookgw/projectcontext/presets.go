package projectcontext

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/project"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// presetList is the answer of GET /api/context/presets.
type presetList struct {
	Selected string                      `json:"selected"`
	Presets  []projections.ContextPreset `json:"presets"`
}

// presetRequest names a selection. Its files are strings, or tables with a path.
type presetRequest struct {
	Name        string   `json:"name"`
	Files       []any    `json:"files,omitempty"`
	Screenshots []string `json:"screenshots,omitempty"`
}

func getPresets() func(*core.Call) error {
	shown := request.View("context/presets", func(s *projections.Set) (any, error) {
		return presetList{s.Tracking().Selected, s.ContextPresets()}, nil
	}, "project", "settings")
	return func(c *core.Call) error { return c.Show(shown) }
}

func postPresetSave(c *core.Call) error {
	var want presetRequest
	if err := c.Decode(&want, `{"name": "parser", "files": ["src/**/*.py"]}`); err != nil {
		return err
	}
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	if wrong := projections.CheckDiscussionName(want.Name); wrong != "" {
		return problem.New(http.StatusBadRequest, "a preset's name must be printable text of 1 to 128 bytes",
			"Choose another name.")
	}
	selection := map[string]any{"files": map[string]any{"paths": want.Files}, "screenshots": map[string]any{
		"paths": anyList(want.Screenshots)}}
	if want.Files == nil {
		if err := c.Read(session, func(s *projections.Set) { selection = s.Project().Document }); err != nil {
			return err
		}
	}
	if wrong := projections.CheckProject(selection); wrong != "" {
		return problem.New(http.StatusBadRequest, "the selection is not valid: "+request.Clip(wrong, 200),
			fmt.Sprintf("Send at most %d paths.", events.MaxPatterns))
	}
	files, _ := projections.ProjectFiles(selection)
	saved := events.ContextPresetChanged{Operation: events.PresetSave, Name: want.Name, Files: files,
		Screenshots: projections.ProjectScreenshots(selection)}
	if _, err := c.PublishChecked(session, saved, (*projections.Set).ProjectRefusal); err != nil {
		return err
	}
	return tracked(c, session)
}

func anyList(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// preset parses a body that names a preset, which must exist.
func preset(c *core.Call) (session string, found projections.ContextPreset, err error) {
	var want discussions.NameRequest
	if err = c.Decode(&want, `{"name": "parser"}`); err != nil {
		return "", found, err
	}
	if session, err = c.SomeSession(); err != nil {
		return "", found, err
	}
	at := -1
	err = c.Read(session, func(s *projections.Set) {
		presets := s.ContextPresets()
		at = slices.IndexFunc(presets, func(p projections.ContextPreset) bool { return p.Name == want.Name })
		if at >= 0 {
			found = presets[at]
		}
	})
	if err == nil && at < 0 {
		err = problem.New(http.StatusNotFound, "no such preset", "GET /api/context/presets lists them.")
	}
	return session, found, err
}

// postPresetLoad makes the preset the project's selection, which a save of the
// project then keeps.
func postPresetLoad(c *core.Call) error {
	session, preset, err := preset(c)
	if err != nil {
		return err
	}
	changes, err := json.Marshal(map[string]any{"files": map[string]any{"paths": preset.Files},
		"screenshots": map[string]any{"paths": preset.Screenshots}})
	if err != nil {
		return err
	}
	if c.Gw.Cfg.ProjectFiles == nil {
		_, err := c.Gw.Files()
		return err
	}
	if _, err := c.PublishChecked(session, events.ContextPresetChanged{Operation: events.PresetLoad, Name: preset.Name},
		(*projections.Set).ProjectRefusal); err != nil {
		return err
	}
	if err := project.EditProject(c, session, events.ProjectEdited{Changes: changes}, preset.Name); err != nil {
		return err
	}
	return tracked(c, session)
}

func postPresetDelete(c *core.Call) error {
	session, preset, err := preset(c)
	if err != nil {
		return err
	}
	if _, err := c.PublishChecked(session, events.ContextPresetChanged{Operation: events.PresetDelete, Name: preset.Name},
		(*projections.Set).ProjectRefusal); err != nil {
		return err
	}
	return tracked(c, session)
}
