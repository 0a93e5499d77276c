package events

// DiscussionCreated begins an empty discussion.
type DiscussionCreated struct {
	Name string `json:"name"`
}

// EventType is the identity on the wire.
func (DiscussionCreated) EventType() Type { return Type{"DiscussionCreated", 1} }

// DiscussionForked branches a take off a discussion: its entries up to and
// with one of them. The take's name is BASE_take_N with the first free N.
type DiscussionForked struct {
	From    string `json:"from"`
	Through string `json:"through,omitempty"` // id of the last entry taken over; none: all
}

// EventType is the identity on the wire.
func (DiscussionForked) EventType() Type { return Type{"DiscussionForked", 1} }

// DiscussionSwitched makes a discussion the active one, to which new entries go.
type DiscussionSwitched struct {
	Name string `json:"name"`
}

// EventType is the identity on the wire.
func (DiscussionSwitched) EventType() Type { return Type{"DiscussionSwitched", 1} }

// DiscussionRenamed gives a discussion another name. A take that is promoted to
// the top level is renamed to one that is no take's name.
type DiscussionRenamed struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// EventType is the identity on the wire.
func (DiscussionRenamed) EventType() Type { return Type{"DiscussionRenamed", 1} }

// DiscussionDeleted removes a discussion from the read model; the record keeps it.
type DiscussionDeleted struct {
	Name string `json:"name"`
}

// EventType is the identity on the wire.
func (DiscussionDeleted) EventType() Type { return Type{"DiscussionDeleted", 1} }

// DiscussionEntryAdded appends an entry that a person wrote.
type DiscussionEntryAdded struct {
	Discussion string `json:"discussion,omitempty"` // empty: the active one
	Role       string `json:"role"`
	Content    string `json:"content"`
	Collapsed  bool   `json:"collapsed,omitempty"`
}

// EventType is the identity on the wire.
func (DiscussionEntryAdded) EventType() Type { return Type{"DiscussionEntryAdded", 1} }

// DiscussionEntryEdited changes the named members of an entry.
type DiscussionEntryEdited struct {
	Discussion string  `json:"discussion,omitempty"` // empty: the active one
	Entry      string  `json:"entry"`
	Role       *string `json:"role,omitempty"`
	Content    *string `json:"content,omitempty"`
	Collapsed  *bool   `json:"collapsed,omitempty"`
}

// EventType is the identity on the wire.
func (DiscussionEntryEdited) EventType() Type { return Type{"DiscussionEntryEdited", 1} }

// EventCorr is the entry.
func (e DiscussionEntryEdited) EventCorr() string { return e.Entry }

// DiscussionEntryDeleted takes an entry out of a discussion.
type DiscussionEntryDeleted struct {
	Discussion string `json:"discussion,omitempty"` // empty: the active one
	Entry      string `json:"entry"`
}

// EventType is the identity on the wire.
func (DiscussionEntryDeleted) EventType() Type { return Type{"DiscussionEntryDeleted", 1} }

// EventCorr is the entry.
func (e DiscussionEntryDeleted) EventCorr() string { return e.Entry }

// DiscussionRolesSet replaces the roles that entries may have.
type DiscussionRolesSet struct {
	Roles []string `json:"roles"`
}

// EventType is the identity on the wire.
func (DiscussionRolesSet) EventType() Type { return Type{"DiscussionRolesSet", 1} }

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
	collapsed := true
	return []Def{
		Define(Word, "person", "An empty discussion begins.", DiscussionCreated{"main"}),
		Define(Word, "person", "A take branched off a discussion.", DiscussionForked{"main", "01J"}),
		Define(Word, "person", "Another discussion is the active one.", DiscussionSwitched{"main_take_1"}),
		Define(Word, "person", "A discussion has another name.", DiscussionRenamed{"main_take_1", "second"}),
		Define(Word, "person", "A discussion was removed.", DiscussionDeleted{"second"}),
		Define(Word, "person", "A person added an entry to a discussion.", DiscussionEntryAdded{Discussion: "main",
			Role: "User", Content: "hello"}),
		Define(Word, "person", "A person changed an entry of a discussion.", DiscussionEntryEdited{Discussion: "main",
			Entry: "01J", Collapsed: &collapsed}),
		Define(Word, "person", "A person removed an entry of a discussion.", DiscussionEntryDeleted{"main", "01J"}),
		Define(Word, "person", "The roles that entries may have.", DiscussionRolesSet{[]string{"User", "AI"}}),
		Define(Word, "person", "A piece of a large upload; whole or not at all.", SessionPartUploaded{"01J", UploadEntries, 0,
			1, "[]"}),
	}
}
