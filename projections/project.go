package projections

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/projections/undo"
)

// MaxProjectBytes limits the size of a project document as JSON.
const MaxProjectBytes = 256 << 10

// projectState is the session's project document with its state.
type projectState struct {
	Path     string                   `json:"path,omitempty"`
	SHA256   string                   `json:"sha256,omitempty"`
	Size     int64                    `json:"size,omitempty"`
	Document json.RawMessage          `json:"document,omitempty"`
	Loaded   *time.Time               `json:"loaded,omitempty"`
	Began    uint64                   `json:"began,omitempty"`  // sequence of the load
	Edited   uint64                   `json:"edited,omitempty"` // sequence of the newest edit
	Saved    uint64                   `json:"saved,omitempty"`  // sequence of the newest edit in the file
	Switch   *projectSwitch           `json:"switch,omitempty"` // the pending switch
	Error    string                   `json:"error,omitempty"`  // error of the last switch
	Tracked  *events.FilesTracked     `json:"tracked,omitempty"`
	At       *time.Time               `json:"tracked_at,omitempty"`
	Presets  map[string]ContextPreset `json:"presets"`
	Selected string                   `json:"selected,omitempty"`
	Refused  []refusal                `json:"refused,omitempty"`
	// Unloaded is the preset that was selected before the newest one was loaded, until the document
	// is edited.
	Unloaded *string `json:"unloaded,omitempty"`
	// History are the changes that a user can undo and redo.
	History undo.Steps[projectSide] `json:"history"`
}

type projectSwitch struct {
	ID   string `json:"id"`
	Path string `json:"path"`
}

var project = Fold[*projectState]{
	Name: "project", Version: 2,
	Takes: ofProjects,
	New:   func() *projectState { return &projectState{Presets: map[string]ContextPreset{}} },
	Apply: (*projectState).apply,
}

func (p *projectState) apply(e *events.Event) *projectState {
	var reason string
	switch w := e.Payload.(type) {
	case events.ProjectSwitchRequested:
		if p.Switch != nil {
			p.Refused = refuse(p.Refused, p.Switch.ID, "another switch was requested after it")
		}
		p.Switch, p.Error = &projectSwitch{e.ID, w.Path}, ""
	case events.ProjectLoaded:
		reason = p.loaded(e, &w)
	case events.ProjectSwitchFailed:
		if p.Switch != nil && p.Switch.ID == w.Request {
			p.Switch, p.Error = nil, w.Error
		}
	case events.ProjectEdited:
		reason = p.edited(e, &w)
	case events.ProjectSaved:
		if w.Through >= p.Began { // otherwise an earlier document was saved
			p.Path, p.SHA256, p.Size, p.Saved = w.Path, w.SHA256, w.Size, w.Through
		}
	case events.FilesTracked:
		if err := w.Check(); err != nil {
			reason = err.Error()
			break
		}
		at := e.Time
		p.Tracked, p.At, p.Selected = &w, &at, w.Preset
	case events.ContextPresetChanged:
		reason = p.preset(e, &w)
	case events.CurationRestored:
		reason = p.restored(e, &w)
	}
	if reason != "" {
		p.Refused = refuse(p.Refused, e.ID, reason)
	}
	return p
}

// loaded adopts a document, unless its switch was already settled or superseded.
func (p *projectState) loaded(e *events.Event, w *events.ProjectLoaded) string {
	if w.Request != "" && (p.Switch == nil || p.Switch.ID != w.Request) {
		return "the switch is already settled"
	}
	at := e.Time
	p.Path, p.SHA256, p.Size, p.Document, p.Loaded = w.Path, w.SHA256, w.Size, w.Document, &at
	p.Began, p.Edited, p.Saved, p.Switch, p.Error = e.Seq, 0, 0, nil, ""
	p.History.Clear() // they changed another document
	return ""
}

func (p *projectState) edited(e *events.Event, w *events.ProjectEdited) string {
	merged, err := MergePatch(p.Document, w.Changes)
	switch {
	case err != nil:
		return "the changes must be a JSON object"
	case w.After != nil && *w.After != max(p.Edited, p.Began):
		return "the project has changed since"
	case w.After != nil && !onlyFiles(objectOf(w.Changes)):
		return "changes with a position may only affect the table files"
	case len(merged) > MaxProjectBytes:
		return fmt.Sprintf("the project document would exceed %d KiB", MaxProjectBytes>>10)
	}
	selected := p.Selected
	if p.Unloaded != nil {
		selected, p.Unloaded = *p.Unloaded, nil
	}
	p.rememberEdit(e, merged, selected)
	p.Document, p.Edited = merged, e.Seq
	return ""
}

// onlyFiles reports whether changes only concern the table files, which no other fold uses.
func onlyFiles(changes map[string]any) bool {
	_, given := changes["files"]
	return given && len(changes) == 1
}

// listOf converts nil to an empty list, so that JSON has [].
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Project is the session's project as shown to clients.
type Project struct {
	Path     string         `json:"path"`   // of the document; empty if none was loaded
	SHA256   string         `json:"sha256"` // of its file
	Size     int64          `json:"size"`
	Loaded   *time.Time     `json:"loaded"`
	Changed  bool           `json:"changed"`         // whether there are unsaved edits
	Began    uint64         `json:"began,omitempty"` // sequence of the load
	Through  uint64         `json:"through"`         // sequence of the newest edit, or of the load if there is none
	Document map[string]any `json:"document"`
	Ignored  []string       `json:"ignored"` // keys without effect, each with the reason
}

// Project returns the session's project document: the loaded one with its edits, or else one that
// is made from the session's settings.
func (s *Set) Project() Project {
	p := stateOf(s, project)
	doc := p.Document
	if p.Loaded == nil {
		base, err := json.Marshal(defaultProject(s.Settings()))
		if err == nil {
			doc, err = MergePatch(base, cmp.Or(string(doc), "{}"))
		}
		if err != nil {
			panic("projections: " + err.Error()) // the document is the result of a merge, so this cannot fail
		}
	}
	out := Project{Path: p.Path, SHA256: p.SHA256, Size: p.Size, Loaded: p.Loaded, Changed: p.Edited > p.Saved,
		Through: max(p.Edited, p.Began), Document: objectOf(doc)}
	out.Ignored = IgnoredKeys(out.Document)
	return out
}

// defaultProject returns the document that the original system makes for a new project.
func defaultProject(s Settings) map[string]any {
	name := ""
	if s.Workspace != "" {
		name = path.Base(s.Workspace)
	}
	tracked := make([]any, len(s.Tracked))
	for i, file := range s.Tracked {
		tracked[i] = file
	}
	return map[string]any{
		"project":     map[string]any{"name": name, "git_dir": "", "system_prompt": "", "main_context": ""},
		"output":      map[string]any{"output_dir": "./md_gen"},
		"files":       map[string]any{"base_dir": ".", "paths": tracked},
		"screenshots": map[string]any{"base_dir": ".", "paths": []any{}},
		"mma":         map[string]any{"epic": "", "active_track_id": "", "tracks": []any{}},
	}
}

// ProjectOutput returns the folder for output of the project, and the project's name in file names.
func (s *Set) ProjectOutput() (folder, name string) {
	doc := s.Project().Document
	member := func(table, name string) string {
		members, _ := doc[table].(map[string]any)
		text, _ := members[name].(string)
		return text
	}
	return member("output", "output_dir"), cmp.Or(member("project", "name"), "context")
}

// FlatProject is the response of GET /api/project.
type FlatProject struct {
	Project     map[string]any `json:"project"`
	Output      map[string]any `json:"output"`
	Files       map[string]any `json:"files"`
	Screenshots map[string]any `json:"screenshots"`
	Discussion  FlatDiscussion `json:"discussion"`
}

// FlatDiscussion is the active discussion in the form of history.toml.
type FlatDiscussion struct {
	Roles   []string `json:"roles"`
	History []string `json:"history"`
}

// FlatProject returns the project and the active discussion, as the original system's flat_config
// does. Missing parts are empty objects.
func (s *Set) FlatProject() FlatProject {
	doc := s.Project().Document
	return FlatProject{
		tableOf(doc, "project"), tableOf(doc, "output"), tableOf(doc, "files"), tableOf(doc, "screenshots"),
		FlatDiscussion{s.DiscussionRoles(), s.ActiveHistory()},
	}
}

// tableOf returns a table of a document; empty if there is none.
func tableOf(doc map[string]any, key string) map[string]any {
	if t, ok := doc[key].(map[string]any); ok {
		return t
	}
	return map[string]any{}
}

// ProjectSwitch is the response of GET /api/project_switch_status.
type ProjectSwitch struct {
	InProgress  bool   `json:"in_progress"`
	PendingPath string `json:"pending_path"`
	ActivePath  string `json:"active_path"`
	Error       string `json:"error"`
	id          string
}

// Request returns the id of the pending switch, or "".
func (s ProjectSwitch) Request() string { return s.id }

// ProjectSwitch returns the status of the last project switch.
func (s *Set) ProjectSwitch() ProjectSwitch {
	p := stateOf(s, project)
	out := ProjectSwitch{ActivePath: p.Path, Error: p.Error}
	if p.Switch != nil {
		out.InProgress, out.PendingPath, out.id = true, p.Switch.Path, p.Switch.ID
	}
	return out
}

// ProjectRefusal returns why an event did not change the project. It is empty if the event did, or
// if newer refusals have displaced its reason.
func (s *Set) ProjectRefusal(id string) string { return refusalOf(stateOf(s, project).Refused, id) }

// Tracking describes the files that a user tracks.
type Tracking struct {
	events.FilesTracked
	At       *time.Time `json:"at"`       // time of the last scan; null if there was none
	Selected string     `json:"selected"` // the last loaded preset
}

// Tracking returns the tracked files as last expanded, or those in the session's settings if there
// was no scan.
func (s *Set) Tracking() Tracking {
	p := stateOf(s, project)
	if p.Tracked == nil {
		tracked := listOf(s.Settings().Tracked)
		return Tracking{FilesTracked: events.FilesTracked{Patterns: tracked, Paths: tracked}, Selected: p.Selected}
	}
	return Tracking{*p.Tracked, p.At, p.Selected}
}

// TrackingDue reports whether the project's files have changed since they were last expanded.
func (s *Set) TrackingDue() bool {
	p := stateOf(s, project)
	if p.Document == nil {
		return false
	}
	return s.TracksOthers(s.Project().Document)
}

// TracksOthers reports whether a document tracks or shows files differently from what was last
// expanded.
func (s *Set) TracksOthers(doc map[string]any) bool {
	base, patterns, problem := FilePatterns(doc)
	now := s.Tracking()
	return problem == "" && (base != now.BaseDir || !slices.Equal(patterns, now.Patterns) || !sameShown(ShownFiles(doc),
		now.Shown))
}

func sameShown(a, b []events.TrackedFile) bool {
	before, err := json.Marshal(a)
	after, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(before, after)
}

// MaxPresets limits the number of context presets of a session.
const MaxPresets = 64

// ContextPreset is a named selection of files and screenshots.
type ContextPreset struct {
	Name        string               `json:"name"`
	Files       []events.TrackedFile `json:"files"`
	Screenshots []string             `json:"screenshots"`
	Saved       time.Time            `json:"saved"`
}

func (p *projectState) preset(e *events.Event, w *events.ContextPresetChanged) string {
	saved, known := p.Presets[w.Name]
	switch w.Operation {
	case events.PresetSave, events.PresetSlice:
		if !known && len(p.Presets) >= MaxPresets {
			return fmt.Sprintf("at most %d context presets are allowed", MaxPresets)
		}
		files, screenshots := w.Files, w.Screenshots
		if w.Operation == events.PresetSlice {
			if len(files) != 1 {
				return "slices can only be added to one file at a time"
			}
			var reason string
			if files, reason = events.WithSlices(saved.Files, w.Files[0]); reason != "" {
				return reason
			}
			screenshots = saved.Screenshots
		}
		p.rememberPreset(e, w, saved, known)
		p.Presets[w.Name] = ContextPreset{w.Name, listOf(files), listOf(screenshots), e.Time}
		return ""
	}
	switch {
	case !known:
		return "there is no such preset"
	case w.Operation == events.PresetLoad:
		p.Unloaded, p.Selected = new(p.Selected), w.Name
	case w.Operation == events.PresetDelete:
		p.rememberPreset(e, w, saved, known)
		delete(p.Presets, w.Name)
	default:
		return "there is no such operation on presets"
	}
	return ""
}

// ContextPresets returns the presets, sorted by name.
func (s *Set) ContextPresets() []ContextPreset {
	p := stateOf(s, project)
	out := make([]ContextPreset, 0, len(p.Presets))
	// order-independent: sorted below
	for _, preset := range p.Presets {
		out = append(out, preset)
	}
	slices.SortFunc(out, func(a, b ContextPreset) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
