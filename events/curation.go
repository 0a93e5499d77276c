package events

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// ErrTracked means that a list of tracked files is too long.
var ErrTracked = errors.New("too many tracked files")

// Limits of one FilesTracked: every refresh names all files in one event, with
// a digest each.
const (
	// MaxTracked is the maximum number of files.
	MaxTracked = 1024
	// MaxTrackedBytes is the maximum total length of their names, and of Shown as
	// JSON.
	MaxTrackedBytes = 128 << 10
	// MaxPatterns is the maximum number of files and patterns of a project or
	// preset.
	MaxPatterns = 256
	// MaxFileSlices is the maximum number of slices of one file; a prompt leaves
	// out the others.
	MaxFileSlices = 16
)

// More views of files, which are made by tools.
const (
	ViewSkeleton = "skeleton" // declarations without bodies
	ViewOutline  = "outline"  // names and lines of declarations
	ViewSummary  = "summary"  // a short summary of the file
	ViewSlice    = "slice"    // a piece of the file, as a FileSlice has it
)

// TrackedFile is an entry of a project's files: a path or a pattern, and how it
// is shown.
type TrackedFile struct {
	Path          string `json:"path"`
	AutoAggregate *bool  `json:"auto_aggregate,omitempty"`
	ForceFull     bool   `json:"force_full,omitempty"`
	ViewMode      string `json:"view_mode,omitempty"`
	// CustomSlices are the pieces of the file that are shown instead of it.
	CustomSlices []FileSlice `json:"custom_slices,omitempty"`
}

// FileSlice is a piece of a file as it was recorded: lines counted from 1 and
// inclusive, and its first and last lines, up to three each, by which it is
// located when the file has changed. Without them its line numbers are used.
type FileSlice struct {
	Name      string   `json:"name,omitempty"`
	StartLine int      `json:"start_line"`
	EndLine   int      `json:"end_line"`
	Head      []string `json:"head,omitempty"`
	Tail      []string `json:"tail,omitempty"`
}

// FilesTracked replaces the files that every refresh rereads.
type FilesTracked struct {
	BaseDir  string   `json:"base_dir,omitempty"` // relative to the project folder
	Patterns []string `json:"patterns"`           // as they were asked for, relative to BaseDir
	Paths    []string `json:"paths"`              // what they matched, as tools name it
	Preset   string   `json:"preset,omitempty"`   // that was loaded
	Skipped  []string `json:"skipped,omitempty"`  // patterns that match nothing, each with its reason
	// Shown are the files for which the project overrides the view strategy:
	// tickets that require them see them in this view. Their paths are relative to
	// the project folder.
	Shown []TrackedFile `json:"shown,omitempty"`
}

// EventType returns the identity on the wire.
func (FilesTracked) EventType() Type { return Type{"FilesTracked", 1} }

// Check returns ErrTracked if there are more files than a refresh can name.
func (e FilesTracked) Check() error {
	bytes := 0
	for _, p := range e.Paths {
		bytes += len(p)
	}
	if len(e.Paths) > MaxTracked || bytes > MaxTrackedBytes {
		return fmt.Errorf("%w: got %d files with %d bytes of names; at most %d files with %d bytes are "+
			"allowed", ErrTracked, len(e.Paths), bytes,
			MaxTracked, MaxTrackedBytes)
	}
	shown, err := json.Marshal(e.Shown)
	if err == nil && len(shown) > MaxTrackedBytes {
		err = fmt.Errorf("%w: their view settings take %d bytes, at most %d are allowed", ErrTracked, len(shown),
			MaxTrackedBytes)
	}
	return err
}

// Operations of [ContextPresetChanged].
const (
	PresetSave   = "save"   // the preset has these files and screenshots
	PresetSlice  = "slice"  // adds slices to a file of the preset, or to a new one
	PresetLoad   = "load"   // the preset becomes the selection
	PresetDelete = "delete" // the preset is deleted; the selection stays
)

// ContextPresetChanged is a person's change of a preset, a named selection of
// files and screenshots.
type ContextPresetChanged struct {
	Operation   string        `json:"operation"`
	Name        string        `json:"name"`
	Files       []TrackedFile `json:"files,omitempty"`
	Screenshots []string      `json:"screenshots,omitempty"`
}

// EventType returns the identity on the wire.
func (ContextPresetChanged) EventType() Type { return Type{"ContextPresetChanged", 1} }

// WithSlices returns the files with f's slices added to the file with its path:
// each replaces a slice of the same name or, if it has no name, of the same
// lines. A missing path is added. The given files are not changed. The reason
// says why a limit was exceeded; empty means success.
func WithSlices(files []TrackedFile, f TrackedFile) (with []TrackedFile, reason string) {
	files = slices.Clone(files)
	i := slices.IndexFunc(files, func(g TrackedFile) bool { return path.Clean(g.Path) == path.Clean(f.Path) })
	if i < 0 {
		i, files = len(files), append(files, TrackedFile{Path: f.Path})
	}
	all := slices.Clone(files[i].CustomSlices)
	for _, s := range f.CustomSlices {
		same := func(t FileSlice) bool {
			return t.Name == s.Name && (s.Name != "" || t.StartLine == s.StartLine && t.EndLine == s.EndLine)
		}
		if j := slices.IndexFunc(all, same); j >= 0 {
			all[j] = s
		} else {
			all = append(all, s)
		}
	}
	files[i].CustomSlices = all
	switch {
	case len(all) > MaxFileSlices:
		reason = fmt.Sprintf("the file has %d slices already; name one of them to replace it", MaxFileSlices)
	case len(files) > MaxPatterns:
		reason = fmt.Sprintf("there are %d files already; take one out", MaxPatterns)
	}
	return files, reason
}

// ContextInjectionRequested asks a worker for a view of a file, which is added
// to a discussion as an entry. A worker answers with ContextBuilt.
type ContextInjectionRequested struct {
	Discussion string `json:"discussion,omitempty"` // empty: the one that is active when the view arrives
	Path       string `json:"path"`
	View       string `json:"view"`
	// Slice is the piece that a view of the kind slice shows.
	Slice *FileSlice `json:"slice,omitempty"`
	// Record says that the view is requested only to learn the anchors of the
	// slice, and does not become an entry.
	Record bool `json:"record,omitempty"`
}

// EventType returns the identity on the wire.
func (ContextInjectionRequested) EventType() Type { return Type{"ContextInjectionRequested", 1} }

func contextDefs() []Def {
	return []Def{
		Define(Command, "person", "The files that every refresh rereads.", FilesTracked{Patterns: []string{"src/**/*.go"},
			Paths: []string{"src/a.go"}}),
		Define(Command, "person", "A person saved, loaded or deleted a selection of files with a name.",
			ContextPresetChanged{Operation: PresetSave, Name: "parser",
				Files: []TrackedFile{{Path: "src/a.go", ViewMode: ViewSkeleton}}, Screenshots: []string{"a.png"}}),
		Define(Command, "person", "Put a view of a file into a discussion.", ContextInjectionRequested{Path: "src/a.go",
			View: ViewSkeleton}),
	}
}

// Operations of [DiscussionChanged], each with the members that it reads.
const (
	DiscussionCreate = "create" // discussion: creates an empty one
	// discussion, entry: starts a take with its entries, up to and including that
	// one, or all
	DiscussionFork    = "fork"
	DiscussionSwitch  = "switch"       // discussion: makes it the active one, to which new entries are added
	DiscussionRename  = "rename"       // discussion, to
	DiscussionDelete  = "delete"       // discussion: removes it from the read model; the record keeps it
	DiscussionRoles   = "roles"        // roles: sets the roles that entries may have
	DiscussionReplace = "replace"      // entries: a JSON array that replaces all entries of the active discussion
	EntryAdd          = "add_entry"    // discussion, role, content, collapsed
	EntryEdit         = "edit_entry"   // discussion, entry, and those of role, content and collapsed that change
	EntryDelete       = "delete_entry" // discussion, entry
)

// DiscussionChanged is a person's change of the discussions and their entries.
type DiscussionChanged struct {
	Operation string `json:"operation"`
	// Discussion is the name of the discussion; for entries, empty means the active
	// one.
	Discussion string `json:"discussion,omitempty"`
	// To is the new name. A take that is promoted to the top level gets one that is
	// not a take's.
	To        string          `json:"to,omitempty"`
	Entry     string          `json:"entry,omitempty"` // its id
	Role      *string         `json:"role,omitempty"`
	Content   *string         `json:"content,omitempty"`
	Collapsed *bool           `json:"collapsed,omitempty"`
	Roles     []string        `json:"roles,omitempty"`
	Entries   json.RawMessage `json:"entries,omitempty"`
}

// EventType returns the identity on the wire.
func (DiscussionChanged) EventType() Type { return Type{"DiscussionChanged", 1} }

// EventCorr returns the entry.
func (e DiscussionChanged) EventCorr() string { return e.Entry }

// Kinds of uploads.
const (
	// UploadEntries is a JSON array that replaces the active discussion's entries.
	UploadEntries = "entries"
	// UploadHistory is a JSON object of roles, active and discussions, as
	// history.toml has them, which adds or replaces those discussions.
	UploadHistory = "history"
)

// SessionPartUploaded is a piece of a text that is too large for one event. The
// text counts when its last piece is there, whole or not at all.
type SessionPartUploaded struct {
	Upload string `json:"upload"`
	Kind   string `json:"kind"`
	Index  int    `json:"index"` // from 0, in order
	Count  int    `json:"count"`
	Text   string `json:"text"`
}

// EventType returns the identity on the wire.
func (SessionPartUploaded) EventType() Type { return Type{"SessionPartUploaded", 1} }

// EventCorr returns the upload.
func (e SessionPartUploaded) EventCorr() string { return e.Upload }

func discussionDefs() []Def {
	role, content := "User", "hello"
	return []Def{
		Define(Command, "person", "A person changed the discussions or their entries.", DiscussionChanged{
			Operation: EntryAdd, Discussion: "main", Role: &role, Content: &content}),
		Define(Command, "person", "A piece of a large upload; whole or not at all.", SessionPartUploaded{"01J",
			UploadEntries, 0, 1, "[]"}),
	}
}

// Bounds of a turn.
const (
	// MaxTurnEntries is how many entries a turn may bring.
	MaxTurnEntries = 1024
	// MaxTurnInline limits the entries whose text is in the request itself, in
	// bytes of all of them together.
	MaxTurnInline = 128 << 10
)

// Roles of entries of discussions that mean something to the engine, as the
// original spells them.
const (
	RoleUser    = "User"
	RoleAI      = "AI"
	RoleTool    = "Tool"
	RoleContext = "Context" // a file that a person put into a discussion
)

// TurnRequested is a person's next words in a discussion, which its model is to
// answer. The contributor carries the turn out as it does an attempt at a ticket;
// TurnEnded says how it ended.
type TurnRequested struct {
	Discussion string `json:"discussion"`
	// Text is what the person says, which becomes an entry of the discussion.
	Text string `json:"text"`
	// Tier is who answers, 1 to 4; 0: tier 3.
	Tier int `json:"tier,omitempty"`
	// Persona and Model are asked instead of the tier's own.
	Persona string `json:"persona,omitempty"`
	Model   string `json:"model,omitempty"`
	// Entries are those of the discussion as they read when the person sent it.
	Entries []TurnEntry `json:"entries,omitempty"`
}

// TurnEntry is an entry as it read when a turn was sent.
type TurnEntry struct {
	Entry string `json:"entry"` // its id
	Role  string `json:"role"`
	// Text stands here where no event holds it alone; else From, Index, SHA256 and
	// Size name it, as those of a [Part] do.
	Text   string `json:"text,omitempty"`
	From   string `json:"from,omitempty"`
	Index  int    `json:"index,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// Path and View say what of which file it shows, Tool which tool answered.
	Path string `json:"path,omitempty"`
	View string `json:"view,omitempty"`
	Tool string `json:"tool,omitempty"`
	// Ticket is whose conversation it comes from: a ticket or a turn. Tier is set
	// where a model or tool said it and no person.
	Ticket string `json:"ticket,omitempty"`
	Tier   int    `json:"tier,omitempty"`
}

// EventType returns the identity on the wire.
func (TurnRequested) EventType() Type { return Type{"TurnRequested", 1} }

// EventTopic returns the tier.
func (p TurnRequested) EventTopic() string { return tierTopic(p.Tier) }

// Check returns why nobody could carry the turn out: a [LimitError] for what is
// too large, nil if nothing is wrong.
func (p TurnRequested) Check() error {
	inline := 0
	for _, n := range p.Entries {
		inline += len(n.Text)
	}
	switch {
	case p.Discussion == "":
		return errors.New("the turn names no discussion")
	case p.Tier < 0 || p.Tier > 4:
		return fmt.Errorf("there are tiers 1 to 4 and no %d", p.Tier)
	case len(p.Entries) > MaxTurnEntries:
		return LimitError{"the discussion", len(p.Entries), MaxTurnEntries, "entries long"}
	case inline > MaxTurnInline:
		return LimitError{"what the discussion imported", inline, MaxTurnInline, "bytes long"}
	}
	return p.Ticket("D").Check()
}

// Ticket returns what the contributor works on: the turn as a ticket with this
// id.
func (p TurnRequested) Ticket(id string) Ticket {
	return Ticket{ID: id, Description: p.Text, ModelOverride: p.Model, PersonaID: p.Persona, Priority: "medium"}
}

// Outcomes of [TurnEnded].
const (
	TurnDone    = "done"    // the model's last reply answers the person
	TurnFailed  = "failed"  // it could not be answered
	TurnStopped = "stopped" // by a person
	TurnRefused = "refused" // nothing was sent
)

// TurnEnded ends a turn. Its answer is what the model replied.
type TurnEnded struct {
	Turn       string `json:"turn"` // [TurnTicket] of the request
	Discussion string `json:"discussion"`
	Outcome    string `json:"outcome"`
	Reason     string `json:"reason,omitempty"` // where it is not done
	// Changes are those of files, as in TicketResolved.
	Changes []FileChange `json:"changes,omitempty"`
}

// EventType returns the identity on the wire.
func (TurnEnded) EventType() Type { return Type{"TurnEnded", 1} }

// EventCorr returns the turn.
func (p TurnEnded) EventCorr() string { return p.Turn }

// TurnTicket returns what the requests and calls of a turn have in place of a
// ticket; request is the id of the event that asked for the turn.
func TurnTicket(request string) string {
	sum := sha256.Sum256([]byte("turn\x00" + request))
	return turnPrefix + hex.EncodeToString(sum[:6])
}

const turnPrefix = "D-"

// IsTurn reports whether a name is that of a turn and of no ticket of the
// engine's.
func IsTurn(ticket string) bool { return strings.HasPrefix(ticket, turnPrefix) }

// DiscussionStream returns the key of a discussion's live text in mma_streams.
func DiscussionStream(discussion string) string { return "Discussion: " + discussion }

func turnDefs() []Def {
	return []Def{
		Define(Command, "person", "A person says something in a discussion, which its model is to answer.",
			TurnRequested{Discussion: "main", Text: "What does it do?", Entries: []TurnEntry{{Entry: "01H", Role: "Context",
				From: "01H", SHA256: "ab", Size: 1, Path: "a.go", View: ViewSkeleton}}}),
		Define(Decision, "contributor", "A turn in a discussion ended.", TurnEnded{Turn: "D-1", Discussion: "main",
			Outcome: TurnDone}),
	}
}
