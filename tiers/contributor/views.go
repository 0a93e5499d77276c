package contributor

import (
	"math"
	"path"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// MaxPresetFiles limits the files that a persona's selection adds to a ticket.
const MaxPresetFiles = 64

// contextRequest requests the views for the beginning of the conversation: the project's rules,
// the whole target file, and the files that the ticket requires and that its persona's selection
// names, each once. They are shown as the project or the selection sets it, else by their
// interfaces. For a ticket that names no file, the names of all files are shown; the model must
// read everything else with tools.
func (r *run) contextRequest(s *State) events.ContextRequested {
	persona := r.seat().Take(s.settings).Persona
	views := tiers.RuleViews()
	rules := len(views)
	seen := map[string]bool{"": true}
	add := func(v events.ViewRequest) {
		if !seen[v.Path] {
			seen[v.Path] = true
			views = append(views, v)
		}
	}
	show := func(f events.TrackedFile) {
		switch {
		case f.ViewMode == "none":
			seen[f.Path] = true
		case len(f.CustomSlices) > 0 && !seen[f.Path]:
			seen[f.Path] = true
			views = append(views, slicesOf(f)...)
		default:
			add(s.selected(f, persona.AggregationStrategy))
		}
	}
	if r.turn != nil {
		for _, f := range r.trackedFiles(s) {
			show(f)
		}
	}
	files := r.chosen
	if files == nil {
		add(events.ViewRequest{Path: r.ticket.TargetFile, View: events.ViewRaw})
		files = r.ticket.ContextRequirements
	}
	for _, file := range files {
		name, mode := file, ""
		if r.chosen != nil {
			name, mode = events.SplitView(file)
		}
		f := s.shown[path.Clean(name)] // the zero value if the project does not set it
		if f.Path = name; mode != "" {
			f = events.TrackedFile{Path: name, ViewMode: mode}
		}
		show(f)
	}
	for _, f := range selection(s.presets[persona.ContextPreset]) {
		show(f)
	}
	if len(views) == rules {
		views = append(views, events.ViewRequest{Path: ".", View: events.ViewTree})
	}
	if s.comparesTracked() {
		views = append(views, states(s.settings.Tracked)...)
	}
	return events.ContextRequested{Tier: r.tier, Track: r.track, Ticket: r.ticket.ID, Attempt: r.attempt, Views: views,
		Retrieval: r.retrieval(), Workspace: r.place}
}

// comparesTracked reports whether a refresh shows only those changes of a tracked file that were
// made since the attempt began.
func (s *State) comparesTracked() bool { return s.basis.Decision(events.ActorContributor) >= 3 }

// states requests the content of tracked files, which no prompt shows, as far as the answers fit.
func states(tracked []string) []events.ViewRequest {
	var out []events.ViewRequest
	room := MaxKnown
	digest := strings.Repeat("0", len(events.Digest(nil)))
	for _, name := range tracked {
		answer := events.View{Path: name, View: events.ViewState, SHA256: digest,
			File: &events.FileState{Path: name, SHA256: digest, Size: math.MaxInt64}}
		if room -= sizeOf(answer) + len(","); room < 0 {
			break
		}
		out = append(out, events.ViewRequest{Path: name, View: events.ViewState})
	}
	return out
}

// shownAs returns the view of a required file for a strategy.
func shownAs(path, strategy string) events.ViewRequest {
	switch strategy {
	case "full":
		return events.ViewRequest{Path: path, View: events.ViewRaw}
	case "summarize":
		return events.ViewRequest{Path: path, View: events.ViewSummary, Fallback: true}
	}
	return events.ViewRequest{Path: path, View: events.ViewSkeleton, Fallback: true}
}

// selected returns the view of a file in a saved selection: as set in the selection, else by the
// strategy.
func (s *State) selected(f events.TrackedFile, strategy string) events.ViewRequest {
	chosen := s.basis.Decision(events.ActorContributor) >= 3
	switch {
	case f.ForceFull || f.ViewMode == "full" || f.ViewMode == events.ViewRaw:
		return events.ViewRequest{Path: f.Path, View: events.ViewRaw}
	case f.ViewMode == events.ViewImage:
		return events.ViewRequest{Path: f.Path, View: events.ViewImage}
	case f.ViewMode == "sig":
		return events.ViewRequest{Path: f.Path, View: events.ViewSkeleton, Fallback: true, Chosen: chosen}
	case slices.Contains([]string{events.ViewSkeleton, events.ViewCurated, events.ViewOutline, events.ViewSummary},
		f.ViewMode):
		return events.ViewRequest{Path: f.Path, View: f.ViewMode, Fallback: true, Chosen: chosen}
	}
	return shownAs(f.Path, strategy)
}

// selection returns the files of a saved selection that are named literally, because only a worker
// could expand patterns.
func selection(files []events.TrackedFile) []events.TrackedFile {
	var out []events.TrackedFile
	for _, f := range files {
		if !strings.ContainsAny(f.Path, "*?[{") && len(out) < MaxPresetFiles {
			out = append(out, f)
		}
	}
	return out
}

// foldPreset updates the saved selections of files.
func (s *State) foldPreset(p *events.ContextPresetChanged) {
	switch p.Operation {
	case events.PresetSave:
		s.presets[p.Name] = p.Files
	case events.PresetSlice:
		if len(p.Files) != 1 {
			return
		}
		if files, reason := events.WithSlices(s.presets[p.Name], p.Files[0]); reason == "" {
			s.presets[p.Name] = files
		}
	case events.PresetDelete:
		delete(s.presets, p.Name)
	}
}

// foldFiles updates the saved selections of files, and how the project wants its files shown.
func (s *State) foldFiles(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextPresetChanged:
		s.foldPreset(&p)
	case events.FilesTracked:
		if p.Check() != nil {
			return
		}
		s.shown, s.screenshots = map[string]events.TrackedFile{}, nil
		for _, f := range p.Shown {
			s.shown[path.Clean(f.Path)] = f
			if f.ViewMode == events.ViewImage && !slices.Contains(p.Paths, f.Path) {
				s.screenshots = append(s.screenshots, f)
			}
		}
	}
}

// slicesOf returns view requests for a file's slices.
func slicesOf(f events.TrackedFile) []events.ViewRequest {
	var out []events.ViewRequest
	for _, s := range f.CustomSlices[:min(len(f.CustomSlices), events.MaxFileSlices)] {
		out = append(out, events.ViewRequest{Path: f.Path, View: events.ViewSlice, Slice: &s})
	}
	return out
}
