package gui

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/project"
	"manualslop/hookgw/projectcontext"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// projectButtons returns the buttons that save and load the project document.
func projectButtons() []guiButton {
	return []guiButton{
		{ID: "btn_project_save", Aliases: []string{"btn_save_project"}, UserData: "a path; none: the file that was loaded",
			Doc: "Writes the project document to its file, unless the file was changed in the meantime.",
			do: func(r *guiRun) error {
				path, err := r.path()
				if err == nil {
					_, err = project.SaveProject(r.c, r.queued.Session, project.SaveRequest{Path: path})
				}
				return err
			}},
		{ID: "btn_project_load", Aliases: []string{"btn_load_project", "btn_project_switch"},
			UserData: "a path; none: reload the current document", Doc: "Switches to a project document.",
			do: func(r *guiRun) error {
				path, err := r.path()
				if err == nil {
					err = project.SwitchTo(r.c, r.queued.Session, project.SwitchRequest{Path: path}, true)
				}
				return err
			}},
		{ID: "btn_add_slice", Aliases: []string{"btn_record_slice", "btn_create_slice"},
			UserData: `{"path", "start_line", "end_line", "name"?, "preset"?}`,
			Doc: "Records lines of a file in a context preset, else in the project: tickets that need the file " +
				"see these lines " +
				"instead of the whole file.", do: (*guiRun).addSlice},
	}
}

// addSlice records the slice in a click's user_data.
func (r *guiRun) addSlice() error {
	var want wire.SliceRequest
	decoder := json.NewDecoder(bytes.NewReader(text(r.task.UserData)))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&want) != nil {
		return problem.New(http.StatusBadRequest, "user_data does not name a slice",
			`Send {"path": "src/a.py", "start_line": 10, "end_line": 24} and, optionally, name and preset.`)
	}
	_, err := projectcontext.RecordSlice(r.c, r.queued.Session, want)
	return err
}

// path returns the path in a click's user_data, or "" if there is none.
func (r *guiRun) path() (string, error) {
	data := text(r.task.UserData)
	if len(data) == 0 {
		return "", nil
	}
	var path string
	if json.Unmarshal(data, &path) != nil {
		return "", problem.New(http.StatusBadRequest, "user_data must be a path",
			`Send "project.toml", relative to the project folder, or leave it out.`)
	}
	return path, nil
}

// inheritedProject returns the events that copy this session's project to another session: the document with its
// edits, the tracked files, the presets and the roles.
func inheritedProject(s *projections.Set) ([]events.Payload, error) {
	var out []events.Payload
	p := s.Project()
	document, err := json.Marshal(p.Document)
	if err != nil {
		return nil, err
	}
	switch {
	case p.Path != "":
		out = append(out, events.ProjectLoaded{Path: p.Path, SHA256: p.SHA256, Size: p.Size, Document: document,
			Ignored: p.Ignored})
		if p.Changed {
			out = append(out, events.ProjectEdited{Changes: json.RawMessage(`{}`), Ignored: p.Ignored})
		}
	case p.Changed:
		out = append(out, events.ProjectEdited{Changes: document, Ignored: p.Ignored})
	}
	if now := s.Tracking(); now.At != nil {
		out = append(out, now.FilesTracked)
	}
	for _, preset := range s.ContextPresets() {
		out = append(out, events.ContextPresetChanged{Operation: events.PresetSave, Name: preset.Name, Files: preset.Files,
			Screenshots: preset.Screenshots})
	}
	if roles := s.DiscussionRoles(); !slices.Equal(roles, projections.DefaultRoles()) {
		out = append(out, events.DiscussionChanged{Operation: events.DiscussionRoles, Roles: roles})
	}
	return out, nil
}
