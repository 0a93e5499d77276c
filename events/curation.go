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

// ErrTracked says that a list of tracked files is too long.
var ErrTracked = errors.New("too many tracked files")

// Bounds of what one FilesTracked may name: every refresh names them all in one
// event, with a digest each.
const (
	// MaxTracked is the number of files.
	MaxTracked = 1024
	// MaxTrackedBytes is the length of their names together, and that of Shown as JSON.
	MaxTrackedBytes = 128 << 10
	// MaxPatterns is how many files and patterns a project or preset tracks.
	MaxPatterns = 256
	// MaxFileSlices is the number of slices of one file; a prompt leaves out those
	// beyond it.
	MaxFileSlices = 16
)

// More views of files, which tools make.
const (
	ViewSkeleton = "skeleton" // declarations without bodies
	ViewOutline  = "outline"  // names and lines of declarations
	ViewSummary  = "summary"  // what the file holds, in short
	ViewSlice    = "slice"    // a piece of the file, as a FileSlice has it
)

// TrackedFile is an entry of a project's files: a path or a pattern, and how it
// is to be shown.
type TrackedFile struct {
	Path          string `json:"path"`
	AutoAggregate *bool  `json:"auto_aggregate,omitempty"`
	ForceFull     bool   `json:"force_full,omitempty"`
	ViewMode      string `json:"view_mode,omitempty"`
	// CustomSlices are the pieces of the file that are to be shown in its place.
	CustomSlices []FileSlice `json:"custom_slices,omitempty"`
}

// FileSlice is a piece of a file as it was recorded: lines counted from 1 and
// inclusive, and its first and last lines, up to three each, by which it is
// found again when the file has changed. Without them it is where its numbers say.
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
	Paths    []string `json:"paths"`              // what they stood for, relative to the project folder
	Preset   string   `json:"preset,omitempty"`   // that was loaded
	Skipped  []string `json:"skipped,omitempty"`  // patterns that stand for nothing, each with its reason
	// Shown are the files that the project wants shown otherwise than by the
	// strategy of who asks: tickets that require them see them so. Their paths are
	// relative to the project folder.
	Shown []TrackedFile `json:"shown,omitempty"`
}

// EventType is the identity on the wire.
func (FilesTracked) EventType() Type { return Type{"FilesTracked", 1} }

// Check refuses more files than a refresh can name; ErrTracked.
func (e FilesTracked) Check() error {
	bytes := 0
	for _, p := range e.Paths {
		bytes += len(p)
	}
	if len(e.Paths) > MaxTracked || bytes > MaxTrackedBytes {
		return fmt.Errorf("%w: %d files with names of %d bytes; there may be %d with %d", ErrTracked, len(e.Paths), bytes,
			MaxTracked, MaxTrackedBytes)
	}
	shown, err := json.Marshal(e.Shown)
	if err == nil && len(shown) > MaxTrackedBytes {
		err = fmt.Errorf("%w: how they are shown takes %d bytes, at most %d are allowed", ErrTracked, len(shown),
			MaxTrackedBytes)
	}
	return err
}

// Operations of [ContextPresetChanged].
const (
	PresetSave   = "save"   // the preset has these files and screenshots
	PresetSlice  = "slice"  // a file of the preset, or a further one, gets the slices that it brings
	PresetLoad   = "load"   // the preset is the selection
	PresetDelete = "delete" // the preset is gone; the selection stays
)

// ContextPresetChanged is what a person does to a preset: a selection of files
// and screenshots with a name.
type ContextPresetChanged struct {
	Operation   string        `json:"operation"`
	Name        string        `json:"name"`
	Files       []TrackedFile `json:"files,omitempty"`
	Screenshots []string      `json:"screenshots,omitempty"`
}

// EventType is the identity on the wire.
func (ContextPresetChanged) EventType() Type { return Type{"ContextPresetChanged", 1} }

// WithSlices are files where f's slices are added to those of its path: each in
// the place of one of the same name or, of those without a name, of the same
// lines. A path that is not there joins them. The files given stay as they are.
// The reason says why there is no room; empty: there is.
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

// ContextInjectionRequested asks a worker for a view of a file, which becomes an
// entry of a discussion. A worker answers with ContextBuilt.
type ContextInjectionRequested struct {
	Discussion string `json:"discussion,omitempty"` // empty: the one that is active when the view comes
	Path       string `json:"path"`
	View       string `json:"view"`
	// Slice is the piece that a view of the kind slice shows.
	Slice *FileSlice `json:"slice,omitempty"`
	// Record says that the view is asked for to learn the anchors of the slice,
	// and becomes no entry.
	Record bool `json:"record,omitempty"`
}

// EventType is the identity on the wire.
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
	DiscussionCreate  = "create"       // discussion: an empty one begins
	DiscussionFork    = "fork"         // discussion, entry: a take begins with its entries, up to and with that one or all
	DiscussionSwitch  = "switch"       // discussion: it is the active one, to which new entries go
	DiscussionRename  = "rename"       // discussion, to
	DiscussionDelete  = "delete"       // discussion: it leaves the read model; the record keeps it
	DiscussionRoles   = "roles"        // roles: those that entries may have
	DiscussionReplace = "replace"      // entries: a JSON array in the place of all entries of the active discussion
	EntryAdd          = "add_entry"    // discussion, role, content, collapsed
	EntryEdit         = "edit_entry"   // discussion, entry, and what of role, content and collapsed is to change
	EntryDelete       = "delete_entry" // discussion, entry
)

// DiscussionChanged is what a person does to the discussions and their entries.
type DiscussionChanged struct {
	Operation string `json:"operation"`
	// Discussion is the name of the one in question; for entries, none is the active one.
	Discussion string `json:"discussion,omitempty"`
	// To is the new name. A take that is promoted to the top level gets one that is no take's.
	To        string          `json:"to,omitempty"`
	Entry     string          `json:"entry,omitempty"` // its id
	Role      *string         `json:"role,omitempty"`
	Content   *string         `json:"content,omitempty"`
	Collapsed *bool           `json:"collapsed,omitempty"`
	Roles     []string        `json:"roles,omitempty"`
	Entries   json.RawMessage `json:"entries,omitempty"`
}

// EventType is the identity on the wire.
func (DiscussionChanged) EventType() Type { return Type{"DiscussionChanged", 1} }

// EventCorr is the entry.
func (e DiscussionChanged) EventCorr() string { return e.Entry }

// What the parts of an upload are when they are joined.
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

// EventType is the identity on the wire.
func (SessionPartUploaded) EventType() Type { return Type{"SessionPartUploaded", 1} }

// EventCorr is the upload.
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
	// MaxTurnInline bounds the entries whose text stands in the request itself, in
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

// EventType is the identity on the wire.
func (TurnRequested) EventType() Type { return Type{"TurnRequested", 1} }

// EventTopic is the tier.
func (p TurnRequested) EventTopic() string { return tierTopic(p.Tier) }

// Check says why nobody could carry the turn out: a [LimitError] for what is too
// large, nil if nothing is wrong.
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

// Ticket is what the contributor works on: the turn as a ticket with this id.
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

// EventType is the identity on the wire.
func (TurnEnded) EventType() Type { return Type{"TurnEnded", 1} }

// EventCorr is the turn.
func (p TurnEnded) EventCorr() string { return p.Turn }

// TurnTicket is what the requests and calls of a turn have in the place of a
// ticket; request is the id of the event that asked for the turn.
func TurnTicket(request string) string {
	sum := sha256.Sum256([]byte("turn\x00" + request))
	return turnPrefix + hex.EncodeToString(sum[:6])
}

const turnPrefix = "D-"

// IsTurn tells whether a name is that of a turn and of no ticket of the engine's.
func IsTurn(ticket string) bool { return strings.HasPrefix(ticket, turnPrefix) }

// DiscussionStream is the key of a discussion's live text in mma_streams.
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
