package projectcontext

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/project"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// sliceOf returns the slice of these lines, not yet located in the file.
func sliceOf(name string, start, end int) (events.FileSlice, *problem.Problem) {
	if start < 1 || end < start {
		return events.FileSlice{}, problem.New(http.StatusBadRequest, "start_line and end_line must be a range of lines",
			`Send "start_line", counted from 1, and "end_line", which is inclusive.`)
	}
	if name != "" && projections.CheckDiscussionName(name) != "" {
		return events.FileSlice{}, problem.New(http.StatusBadRequest, "a slice's name must be printable text of "+
			"1 to 128 bytes",
			"Choose another name.")
	}
	return events.FileSlice{Name: name, StartLine: start, EndLine: end}, nil
}

func postSlice(c *core.Call) error {
	var want wire.SliceRequest
	if err := c.Decode(&want, `{"path": "src/a.py", "start_line": 10, "end_line": 24}`); err != nil {
		return err
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	slice, err := RecordSlice(c, session, want)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, wire.SliceAnswer{Status: "ok", Path: want.Path, Preset: want.Preset, Slice: slice})
}

// RecordSlice lets a worker read the anchor lines of the slice, and adds the slice to its file in the preset or in
// the project.
func RecordSlice(c *core.Call, session string, want wire.SliceRequest) (events.FileSlice, error) {
	slice, p := sliceOf(want.Name, want.StartLine, want.EndLine)
	if p == nil {
		p = contextPath(want.Path)
	}
	if p == nil && want.Preset != "" && projections.CheckDiscussionName(want.Preset) != "" {
		p = problem.New(http.StatusBadRequest, "a preset's name must be printable text of 1 to 128 bytes",
			"Choose another name.")
	}
	if p != nil {
		return slice, p
	}
	want.Path = path.Clean(want.Path)
	slice, err := anchored(c, session, want.Path, slice)
	if err != nil {
		return slice, err
	}
	if want.Preset != "" {
		return slice, sliceIntoPreset(c, session, want, slice)
	}
	for {
		at, err := sliceIntoProject(c, session, want.Path, slice)
		if err == nil {
			return slice, nil
		}
		var now uint64
		if rerr := c.Read(session, func(s *projections.Set) { now = s.Project().Through }); rerr != nil || now == at {
			return slice, err
		}
	}
}

// anchored returns the slice with its anchors, as a worker found it in the file.
func anchored(c *core.Call, session, file string, slice events.FileSlice) (events.FileSlice, error) {
	e, err := c.PublishAsPerson(session, events.ContextInjectionRequested{Path: file, View: events.ViewSlice,
		Slice:  &slice,
		Record: true})
	if err != nil {
		return slice, err
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), c.Gw.Cfg.Limits.SettleWait)
	defer cancel()
	for got, err := range c.Gw.Cfg.Models.Subscribe(ctx, session, e.Seq+1) {
		if err != nil {
			break
		}
		built, ok := got.Payload.(events.ContextBuilt)
		if !ok || built.Request != e.ID || len(built.Views) == 0 {
			continue
		}
		if p := noView(built.Views[0]); p != nil {
			return slice, p
		}
		if built.Views[0].Slice != nil {
			return *built.Views[0].Slice, nil
		}
	}
	return slice, problem.New(http.StatusServiceUnavailable, "no worker read the file in time, so nothing was recorded",
		"Start an engine with slop serve, or try again in a moment.")
}

// sliceIntoPreset adds a slice to its file in a saved selection.
func sliceIntoPreset(c *core.Call, session string, want wire.SliceRequest, slice events.FileSlice) error {
	_, err := c.PublishChecked(session, events.ContextPresetChanged{Operation: events.PresetSlice, Name: want.Preset,
		Files: []events.TrackedFile{{Path: want.Path, CustomSlices: []events.FileSlice{slice}}}},
		(*projections.Set).ProjectRefusal)
	return err
}

// sliceIntoProject adds a slice to its file in the project document, as an entry of files.paths. at is the sequence
// of the document for which the slice was made; if the document has changed since then, the slice has no effect.
func sliceIntoProject(c *core.Call, session, file string, slice events.FileSlice) (at uint64, err error) {
	if _, err := c.Gw.Files(); err != nil {
		return 0, err
	}
	var files []events.TrackedFile
	var base, wrong string
	if err := c.Read(session, func(s *projections.Set) {
		now := s.Project()
		at = now.Through
		files, wrong = projections.ProjectFiles(now.Document)
		base, _, _ = projections.FilePatterns(now.Document)
	}); err != nil {
		return 0, err
	}
	if wrong != "" {
		return at, problem.New(http.StatusConflict, "the project's files are not valid: "+request.Clip(wrong, 200),
			"Correct files.paths, or record the slice in a preset.")
	}
	below := file
	if base != "" {
		var inside bool
		if below, inside = strings.CutPrefix(file, path.Clean(base)+"/"); !inside {
			return at, problem.New(http.StatusConflict, "the file is not below files_base_dir, "+request.Clip(base, 200),
				"Record the slice in a preset, or set files_base_dir to a folder above it.")
		}
	}
	files, reason := events.WithSlices(files, events.TrackedFile{Path: below, CustomSlices: []events.FileSlice{slice}})
	if reason != "" {
		return at, problem.New(http.StatusConflict, reason, "Nothing was changed.")
	}
	changes, err := json.Marshal(map[string]any{"files": map[string]any{"paths": files}})
	if err != nil {
		return at, err
	}
	return at, project.EditProject(c, session, events.ProjectEdited{Changes: changes, After: &at}, "")
}
