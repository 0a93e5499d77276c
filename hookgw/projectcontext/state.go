package projectcontext

import (
	"slices"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

func getContextState() func(*core.Call) error {
	shown := request.View("context/state", func(s *projections.Set) (any, error) { return stateOfContext(s), nil })
	return func(c *core.Call) error { return c.Show(shown) }
}

func stateOfContext(s *projections.Set) wire.ContextState {
	now, doc := s.Tracking(), s.Project().Document
	files, _ := projections.ProjectFiles(doc)
	out := wire.ContextState{
		BaseDir: now.BaseDir, Patterns: request.List(now.Patterns), Skipped: request.List(now.Skipped), ScannedAt: now.At,
		Files: []wire.ContextFile{},
		Selection: wire.ContextSelection{Preset: now.Selected, Files: files,
			Screenshots: request.List(projections.ProjectScreenshots(doc))},
		Presets: []string{}, Injected: injectedEntries(s), Dependencies: map[string][]string{},
		Discussion: s.ActiveDiscussion(),
	}
	out.Views, out.ViewsLeftOut = s.BuiltViews()
	shownAs := map[string]string{}
	for _, v := range out.Views {
		shownAs[v.Path] = v.File
	}
	for _, path := range now.Paths {
		out.Files = append(out.Files, contextFileOf(s, path, shownAs[path], files))
	}
	for _, p := range s.ContextPresets() {
		out.Presets = append(out.Presets, p.Name)
	}
	for _, t := range s.Tickets() {
		if t.TargetFile != nil && *t.TargetFile != "" && len(t.ContextRequirements) > 0 {
			needs := slices.Concat(out.Dependencies[*t.TargetFile], t.ContextRequirements)
			slices.Sort(needs)
			out.Dependencies[*t.TargetFile] = slices.Compact(needs)
		}
	}
	return out
}

func contextFileOf(s *projections.Set, path, shownAs string, files []events.TrackedFile) wire.ContextFile {
	f := wire.ContextFile{Path: path}
	if r := s.Files()[path]; r != nil {
		seen := r.Seen
		f.SHA256, f.Size, f.Seen, f.Written, f.Error = r.SHA256, r.Size, &seen, r.Written, r.Error
		f.Changed = shownAs != "" && r.SHA256 != shownAs
	}
	for _, t := range files {
		if t.Path == path {
			f.ViewMode = t.ViewMode
		}
	}
	return f
}

func injectedEntries(s *projections.Set) []wire.InjectedEntry {
	out := []wire.InjectedEntry{}
	for _, d := range s.Discussions() {
		entries, _ := s.DiscussionEntries(d.Name)
		for _, n := range entries {
			if n.Entry.Role == projections.RoleContext && n.Entry.Path != "" {
				out = append(out, wire.InjectedEntry{Discussion: d.Name, ID: n.ID, Path: n.Entry.Path, View: n.Entry.View,
					Blob: n.Entry.Blob, At: n.Entry.Time})
			}
		}
	}
	return out
}
