package hookgw

import (
	"slices"
	"time"

	"manualslop/events"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// ContextState is the answer of GET /api/context/state.
type ContextState struct {
	BaseDir      string                  `json:"base_dir"` // of the patterns, relative to the project folder
	Patterns     []string                `json:"patterns"`
	Skipped      []string                `json:"skipped"`    // patterns that stand for nothing, each with its reason
	ScannedAt    *time.Time              `json:"scanned_at"` // null: the files are those of the settings
	Files        []ContextFile           `json:"files"`      // tracked, by path
	Selection    ContextSelection        `json:"selection"`
	Presets      []string                `json:"presets"`
	Injected     []InjectedEntry         `json:"injected"`      // entries of the role Context, of all discussions
	Views        []projections.BuiltView `json:"views"`         // the newest of each path and kind
	ViewsLeftOut int                     `json:"views_omitted"` // older ones that are not listed
	Dependencies map[string][]string     `json:"dependencies"`  // a ticket's target file: the files that it requires
	Discussion   string                  `json:"discussion"`    // the active one
}

// ContextFile is a tracked file as the record knows it.
type ContextFile struct {
	Path     string     `json:"path"`
	SHA256   string     `json:"sha256"` // when it was seen last; empty: it was not, or is not there
	Size     int64      `json:"size"`
	Seen     *time.Time `json:"seen"`    // null: never
	Changed  bool       `json:"changed"` // since the newest view of it was made
	Written  *time.Time `json:"written"` // by a tool; null: never
	ViewMode string     `json:"view_mode,omitempty"`
	Error    string     `json:"error,omitempty"`
}

// ContextSelection is what the person chose.
type ContextSelection struct {
	Preset      string               `json:"preset"`
	Files       []events.TrackedFile `json:"files"`
	Screenshots []string             `json:"screenshots"`
}

// InjectedEntry is an entry that shows a file.
type InjectedEntry struct {
	Discussion string          `json:"discussion"`
	ID         string          `json:"id"`
	Path       string          `json:"path"`
	View       string          `json:"view"`
	Blob       *events.BlobRef `json:"blob,omitempty"`
	At         time.Time       `json:"at"`
}

func getContextState() func(*call) error {
	shown := request.View("context/state", func(s *projections.Set) (any, error) { return stateOfContext(s), nil })
	return func(c *call) error { return c.Show(shown) }
}

func stateOfContext(s *projections.Set) ContextState {
	now, doc := s.Tracking(), s.Project().Document
	files, _ := projections.ProjectFiles(doc)
	out := ContextState{
		BaseDir: now.BaseDir, Patterns: request.List(now.Patterns), Skipped: request.List(now.Skipped), ScannedAt: now.At, Files: []ContextFile{},
		Selection: ContextSelection{now.Selected, files, request.List(projections.ProjectScreenshots(doc))},
		Presets:   []string{}, Injected: injectedEntries(s), Dependencies: map[string][]string{}, Discussion: s.ActiveDiscussion(),
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

func contextFileOf(s *projections.Set, path, shownAs string, files []events.TrackedFile) ContextFile {
	f := ContextFile{Path: path}
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

func injectedEntries(s *projections.Set) []InjectedEntry {
	out := []InjectedEntry{}
	for _, d := range s.Discussions() {
		entries, _ := s.DiscussionEntries(d.Name)
		for _, n := range entries {
			if n.Entry.Role == projections.RoleContext && n.Entry.Path != "" {
				out = append(out, InjectedEntry{d.Name, n.ID, n.Entry.Path, n.Entry.View, n.Entry.Blob, n.Entry.Time})
			}
		}
	}
	return out
}
