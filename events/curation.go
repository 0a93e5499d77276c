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

// Limits of one FilesTracked. Every refresh lists all files with their digests in one event.
const (
	// MaxTracked limits the number of files.
	MaxTracked = 1024
	// MaxTrackedBytes limits the total length of their names, and the size of Shown as JSON.
	MaxTrackedBytes = 128 << 10
	// MaxPatterns limits the files and patterns of a project or preset.
	MaxPatterns = 256
	// MaxFileSlices limits the slices of one file; a prompt leaves out further ones.
	MaxFileSlices = 16
)

// Further views of files, which are made by tools.
const (
	ViewSkeleton = "skeleton" // declarations without bodies
	ViewOutline  = "outline"  // names and lines of declarations
	ViewSummary  = "summary"  // a short summary of the file
	ViewSlice    = "slice"    // part of the file, given by a FileSlice
)

// TrackedFile is an entry of a project's files: a path or a pattern, and how it
// is shown.
type TrackedFile struct {
	Path          string `json:"path"`
	AutoAggregate *bool  `json:"auto_aggregate,omitempty"`
	ForceFull     bool   `json:"force_full,omitempty"`
	ViewMode      string `json:"view_mode,omitempty"`
	// CustomSlices are the parts of the file to show instead of the whole.
	CustomSlices []FileSlice `json:"custom_slices,omitempty"`
}

// FileSlice is a part of a file as it was recorded: line numbers, from 1 and inclusive, and up to
// three of its first and last lines. If the file has changed, the part is located by these lines;
// without them, by its line numbers.
type FileSlice struct {
	Name      string   `json:"name,omitempty"`
	StartLine int      `json:"start_line"`
	EndLine   int      `json:"end_line"`
	Head      []string `json:"head,omitempty"`
	Tail      []string `json:"tail,omitempty"`
}

// FilesTracked replaces the list of files that every refresh reads again.
type FilesTracked struct {
	BaseDir  string   `json:"base_dir,omitempty"` // relative to the project folder
	Patterns []string `json:"patterns"`           // as requested, relative to BaseDir
	Paths    []string `json:"paths"`              // matching files, as tools name them
	Preset   string   `json:"preset,omitempty"`   // the preset that was loaded
	Skipped  []string `json:"skipped,omitempty"`  // patterns without a match, each with the reason
	// Shown are the files for which the project sets the view: tickets that require them see them
	// in this view. Paths are relative to the project folder.
	Shown []TrackedFile `json:"shown,omitempty"`
}

// EventType returns the type name and version.
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
	PresetSave   = "save"   // sets the files and screenshots of the preset
	PresetSlice  = "slice"  // adds slices to a file of the preset, or to a new one
	PresetLoad   = "load"   // makes the preset the current selection
	PresetDelete = "delete" // deletes the preset; the current selection does not change
)

// ContextPresetChanged is a person's change to a preset, a named selection of files and
// screenshots.
type ContextPresetChanged struct {
	Operation   string        `json:"operation"`
	Name        string        `json:"name"`
	Files       []TrackedFile `json:"files,omitempty"`
	Screenshots []string      `json:"screenshots,omitempty"`
}

// EventType returns the type name and version.
func (ContextPresetChanged) EventType() Type { return Type{"ContextPresetChanged", 1} }

// WithSlices returns the files with f's slices added to the file with the same path. A slice
// replaces one with the same name or, if it has no name, one with the same lines. If there is no
// such file, it is added. The given files are not modified. The reason says which limit was
// exceeded; empty means success.
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

// ContextInjectionRequested asks a worker for a view of a file that becomes an entry of a
// discussion. A worker answers with ContextBuilt.
type ContextInjectionRequested struct {
	Discussion string `json:"discussion,omitempty"` // empty means the discussion that is active when the view arrives
	Path       string `json:"path"`
	View       string `json:"view"`
	// Slice is the part to show, for a view of kind slice.
	Slice *FileSlice `json:"slice,omitempty"`
	// Record means that the view is requested only to learn the anchors of the slice, and does not
	// become an entry.
	Record bool `json:"record,omitempty"`
}

// EventType returns the type name and version.
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

// Operations of [DiscussionChanged], each with the members that it uses.
const (
	DiscussionCreate = "create" // discussion: creates an empty one
	// discussion, entry: starts a take with the discussion's entries up to and including entry, or
	// with all of them
	DiscussionFork    = "fork"
	DiscussionSwitch  = "switch"       // discussion: makes it the active one, to which new entries are added
	DiscussionRename  = "rename"       // discussion, to
	DiscussionDelete  = "delete"       // discussion: removes it from the read model; it stays in the log
	DiscussionRoles   = "roles"        // roles: sets the roles that entries may have
	DiscussionReplace = "replace"      // entries: a JSON array that replaces all entries of the active discussion
	EntryAdd          = "add_entry"    // discussion, role, content, collapsed
	EntryEdit         = "edit_entry"   // discussion, entry, and those of role, content and collapsed that change
	EntryDelete       = "delete_entry" // discussion, entry
)

// DiscussionChanged is a person's change to the discussions or their entries.
type DiscussionChanged struct {
	Operation string `json:"operation"`
	// Discussion is the name of the discussion; for operations on entries, empty means the active
	// one.
	Discussion string `json:"discussion,omitempty"`
	// To is the new name. To promote a take to the top level, give it a name that is not a take's.
	To        string          `json:"to,omitempty"`
	Entry     string          `json:"entry,omitempty"` // its id
	Role      *string         `json:"role,omitempty"`
	Content   *string         `json:"content,omitempty"`
	Collapsed *bool           `json:"collapsed,omitempty"`
	Roles     []string        `json:"roles,omitempty"`
	Entries   json.RawMessage `json:"entries,omitempty"`
}

// EventType returns the type name and version.
func (DiscussionChanged) EventType() Type { return Type{"DiscussionChanged", 1} }

// EventCorr returns the entry.
func (e DiscussionChanged) EventCorr() string { return e.Entry }

// CurationRestored undoes or redoes a change of a person to the discussions, the context or the
// project. The read models keep the newest changes with the state before them; only the newest
// change can be undone, and only the newest undone one redone. What models, tools and turns added
// to a discussion stays, and what was sent to models does not change.
//
// A gateway appends it on condition that the session has not grown, so that it means what the
// person saw.
type CurationRestored struct {
	// Step is the id of the event that requested the change.
	Step string `json:"step"`
	Redo bool   `json:"redo,omitempty"` // false: the change is undone
	// Changes are, for a change to the project document, the changes as defined in RFC 7386 that
	// restore it. They always apply, as those of ProjectEdited do.
	Changes json.RawMessage `json:"changes,omitempty"`
}

// EventType returns the type name and version.
func (CurationRestored) EventType() Type { return Type{"CurationRestored", 1} }

// EventCorr returns the change.
func (e CurationRestored) EventCorr() string { return e.Step }

// Kinds of uploads.
const (
	// UploadEntries is a JSON array that replaces the entries of the active discussion.
	UploadEntries = "entries"
	// UploadHistory is a JSON object with roles, active and discussions, as in history.toml. It
	// adds or replaces those discussions.
	UploadHistory = "history"
)

// SessionPartUploaded is a part of a text that is too large for one event. The text takes effect
// when its last part has arrived, completely or not at all.
type SessionPartUploaded struct {
	Upload string `json:"upload"`
	Kind   string `json:"kind"`
	Index  int    `json:"index"` // from 0, in order
	Count  int    `json:"count"`
	Text   string `json:"text"`
}

// EventType returns the type name and version.
func (SessionPartUploaded) EventType() Type { return Type{"SessionPartUploaded", 1} }

// EventCorr returns the upload.
func (e SessionPartUploaded) EventCorr() string { return e.Upload }

func discussionDefs() []Def {
	role, content := "User", "hello"
	return []Def{
		Define(Command, "person", "A person changed the discussions or their entries.", DiscussionChanged{
			Operation: EntryAdd, Discussion: "main", Role: &role, Content: &content}),
		Define(Command, "person", "A person undid or redid a change of the discussions, the context or the project.",
			CurationRestored{Step: "01J", Changes: json.RawMessage(`{"files":{"paths":["a.py"]}}`)}),
		Define(Command, "person", "A piece of a large upload; whole or not at all.", SessionPartUploaded{"01J",
			UploadEntries, 0, 1, "[]"}),
	}
}

// Limits of a turn.
const (
	// MaxTurnEntries limits the number of entries in a turn.
	MaxTurnEntries = 1024
	// MaxCompactWords limits a person's instruction on what to keep of a discussion, in bytes.
	MaxCompactWords = 4 << 10
	// MaxTurnInline limits the total size of the entries whose text is in the request itself, in
	// bytes.
	MaxTurnInline = 128 << 10
)

// Roles of discussion entries that the engine interprets, spelled as in the original system.
const (
	RoleUser    = "User"
	RoleAI      = "AI"
	RoleTool    = "Tool"
	RoleContext = "Context" // a file that a person added to a discussion
	RoleSummary = "Summary" // what a model wrote in the place of older entries
)

// TurnRequested is a person's next message in a discussion, to be answered by a model. The
// contributor carries out the turn like an attempt at a ticket; TurnEnded reports its outcome.
type TurnRequested struct {
	Discussion string `json:"discussion"`
	// Text is the person's message, which becomes an entry of the discussion.
	Text string `json:"text"`
	// Tier is the tier that answers, 1 to 4; 0 means tier 3.
	Tier int `json:"tier,omitempty"`
	// Persona and Model replace the tier's own.
	Persona string `json:"persona,omitempty"`
	Model   string `json:"model,omitempty"`
	// Entries are the entries of the discussion at the time when the person sent the message.
	Entries []TurnEntry `json:"entries,omitempty"`
	// Retrieval adds passages of the project's files that match the text; nil if none are wanted.
	Retrieval *Retrieval `json:"retrieval,omitempty"`
	// Compact means that the model summarises Entries, the older part of the discussion, without
	// tools. Once the turn is done, the discussion continues in a take that begins with the summary,
	// followed by the entries after these. Text says what to keep; it may be empty, and
	// becomes no entry.
	Compact bool `json:"compact,omitempty"`
}

// TurnEntry is an entry at the time when a turn was sent.
type TurnEntry struct {
	Entry string `json:"entry"` // its id
	Role  string `json:"role"`
	// Text is set if no event holds exactly this text; otherwise From, Index, SHA256 and Size
	// refer to it, as in a [Part].
	Text   string `json:"text,omitempty"`
	From   string `json:"from,omitempty"`
	Index  int    `json:"index,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// Path and View say which view of which file it shows; Tool says whose result it is.
	Path string `json:"path,omitempty"`
	View string `json:"view,omitempty"`
	Tool string `json:"tool,omitempty"`
	// Ticket is the ticket or turn whose conversation it comes from. Tier is set if a model or
	// tool wrote it, not a person.
	Ticket string `json:"ticket,omitempty"`
	Tier   int    `json:"tier,omitempty"`
}

// EventType returns the type name and version.
func (TurnRequested) EventType() Type { return Type{"TurnRequested", 1} }

// EventTopic returns the tier.
func (p TurnRequested) EventTopic() string { return tierTopic(p.Tier) }

// Check returns why the turn cannot be carried out: a [LimitError] if something is too large, nil
// if it is valid.
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
	case p.Compact && len(p.Entries) == 0:
		return errors.New("the discussion has nothing that a summary could replace")
	case p.Compact && len(p.Text) > MaxCompactWords:
		return LimitError{"what to keep", len(p.Text), MaxCompactWords, "bytes long"}
	case len(p.Entries) > MaxTurnEntries:
		return LimitError{"the discussion", len(p.Entries), MaxTurnEntries, "entries long"}
	case inline > MaxTurnInline:
		return LimitError{"what the discussion imported", inline, MaxTurnInline, "bytes long"}
	}
	if p.Retrieval != nil {
		if err := p.Retrieval.Check(); err != nil {
			return err
		}
	}
	return p.Ticket("D").Check()
}

// Ticket returns the turn in the form of a ticket with this id, which the contributor works on.
func (p TurnRequested) Ticket(id string) Ticket {
	said := p.Text
	if p.Compact {
		said = "Make the discussion shorter."
	}
	return Ticket{ID: id, Description: said, ModelOverride: p.Model, PersonaID: p.Persona, Priority: "medium"}
}

// Outcomes of [TurnEnded].
const (
	TurnDone    = "done"    // the model's last reply answers the person
	TurnFailed  = "failed"  // there is no answer
	TurnStopped = "stopped" // a person stopped it
	TurnRefused = "refused" // nothing was sent
)

// TurnEnded ends a turn. The answer is the model's reply.
type TurnEnded struct {
	Turn       string `json:"turn"` // [TurnTicket] of the request
	Discussion string `json:"discussion"`
	Outcome    string `json:"outcome"`
	Reason     string `json:"reason,omitempty"` // set unless the outcome is done
	// Changes are the file changes, as in TicketResolved.
	Changes []FileChange `json:"changes,omitempty"`
}

// EventType returns the type name and version.
func (TurnEnded) EventType() Type { return Type{"TurnEnded", 1} }

// EventCorr returns the turn.
func (p TurnEnded) EventCorr() string { return p.Turn }

// TurnTicket returns the id that a turn's requests and calls use in place of a ticket id; request
// is the id of the TurnRequested event.
func TurnTicket(request string) string {
	sum := sha256.Sum256([]byte("turn\x00" + request))
	return turnPrefix + hex.EncodeToString(sum[:6])
}

const turnPrefix = "D-"

// IsTurn reports whether a ticket id belongs to a turn.
func IsTurn(ticket string) bool { return strings.HasPrefix(ticket, turnPrefix) }

// DiscussionStream returns the key of a discussion's live text in mma_streams.
func DiscussionStream(discussion string) string { return "Discussion: " + discussion }

func turnDefs() []Def {
	return []Def{
		Define(Command, "person", "A person says something in a discussion, which its model is to answer.",
			TurnRequested{Discussion: "main", Text: "What does it do?", Entries: []TurnEntry{{Entry: "01H", Role: "Context",
				From: "01H", SHA256: "ab", Size: 1, Path: "a.go", View: ViewSkeleton}}, Retrieval: &Retrieval{
				Source: RetrieveText, TopK: 5}}),
		Define(Decision, "contributor", "A turn in a discussion ended.", TurnEnded{Turn: "D-1", Discussion: "main",
			Outcome: TurnDone}),
	}
}
