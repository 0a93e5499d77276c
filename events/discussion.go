package events

import "encoding/json"

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
