package projections

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"manualslop/events"
)

// Limits of discussions.
const (
	// MaxDiscussions limits the number of discussions of a session.
	MaxDiscussions = 256
	// MaxDiscussionName limits the length of a discussion's name, in bytes.
	MaxDiscussionName = 128
	// MaxEntries limits the entries that a client may set at once, and the total number of entries
	// that branching or importing may lead to.
	MaxEntries = 100_000
	// MaxDiscussionBytes limits the total size of all discussions; above it nothing can be
	// branched, imported or uploaded.
	MaxDiscussionBytes = 64 << 20
	// MaxRoles limits the number of roles, and MaxRole the length of one in bytes.
	MaxRoles = 64
	MaxRole  = 64

	entryOverhead = 128
)

// firstDiscussion is the name that the original system gives to the first discussion of each
// session.
const firstDiscussion = "main"

// thread is one discussion.
type thread struct {
	By          string        `json:"by,omitempty"`   // id of the event that created it
	Begun       uint64        `json:"begun"`          // sequence of that event
	From        string        `json:"from,omitempty"` // the discussion from which it was branched
	GitCommit   string        `json:"git_commit,omitempty"`
	LastUpdated string        `json:"last_updated,omitempty"` // for an imported discussion
	Updated     time.Time     `json:"updated"`
	Bytes       int           `json:"bytes"`
	Entries     []storedEntry `json:"entries"`
}

func (t *thread) append(e *events.Event, n storedEntry) {
	t.Entries = append(t.Entries, n)
	t.Bytes += n.size()
	t.Updated = e.Time
}

// orderCall moves the last entry, the result of a call, in front of results of later calls of the same reply,
// which may have ended earlier.
func (t *thread) orderCall(call string) {
	last := len(t.Entries) - 1
	at := last
	for at > 0 {
		before := t.Entries[at-1].Entry
		if before == nil || before.Role != RoleTool || requestOf(before.Call) != requestOf(call) ||
			indexOf(before.Call) <= indexOf(call) {
			break
		}
		at--
	}
	if at < last {
		t.Entries = slices.Insert(slices.Clone(t.Entries[:last]), at, t.Entries[last]) // takes share the old ones
	}
}

// set replaces the entries.
func (t *thread) set(e *events.Event, entries []storedEntry) {
	t.Entries, t.Bytes, t.Updated = entries, 0, e.Time
	for _, n := range entries {
		t.Bytes += n.size()
	}
}

func (t *thread) find(id string) int {
	return slices.IndexFunc(t.Entries, func(n storedEntry) bool { return n.ID == id })
}

func (t *thread) view() Discussion {
	d := Discussion{Entries: make([]Entry, len(t.Entries))}
	for i, n := range t.Entries {
		d.Entries[i] = n.shown()
	}
	return d
}

// document returns the view in a form that encoding/json encodes quickly.
func (t *thread) document() any {
	entries := make([]any, len(t.Entries))
	for i, n := range t.Entries {
		if entries[i] = n.Entry; n.Entry == nil {
			entries[i] = n.Raw
		}
	}
	return map[string]any{"entries": entries}
}

// updated returns the time of the last change; empty if not known.
func (t *thread) updated() string {
	if t.Updated.IsZero() {
		return t.LastUpdated
	}
	return t.Updated.Format(entryTime)
}

// takeName matches the names of branches.
var takeName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+)_take_[0-9]+$`)
})

// TakeBase returns the name of the top-level discussion to which a take belongs; false if name is
// a top-level discussion itself.
func TakeBase(name string) (string, bool) {
	found := takeName().FindStringSubmatch(name)
	if found == nil {
		return name, false
	}
	base, _ := TakeBase(found[1])
	return base, true
}

// CheckDiscussionName returns why a name is invalid, or "".
func CheckDiscussionName(name string) string {
	switch {
	case name == "" || len(name) > MaxDiscussionName:
		return fmt.Sprintf("a discussion's name must have 1 to %d bytes", MaxDiscussionName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "a discussion's name must be printable text"
	case strings.TrimSpace(name) != name:
		return "a discussion's name must not begin or end with a space"
	}
	return ""
}

// freeTake returns the first unused take name of a discussion.
func (c *conversation) freeTake(from string) string {
	base, _ := TakeBase(from)
	for n := 1; ; n++ {
		name := base + "_take_" + strconv.Itoa(n)
		if c.Threads[name] == nil {
			return name
		}
	}
}

// room returns why more discussions or entries do not fit, or "".
func (c *conversation) room(threads, entries, bytes int) string {
	threads += len(c.Threads)
	// order-independent: adds up
	for _, t := range c.Threads {
		entries += len(t.Entries)
		bytes += t.Bytes
	}
	switch {
	case threads > MaxDiscussions:
		return fmt.Sprintf("at most %d discussions are allowed", MaxDiscussions)
	case entries > MaxEntries:
		return fmt.Sprintf("all discussions together can have at most %d entries", MaxEntries)
	case bytes > MaxDiscussionBytes:
		return fmt.Sprintf("all discussions together can have at most %d MiB", MaxDiscussionBytes>>20)
	}
	return ""
}

// FreeDiscussion returns a name for a new discussion: the wanted one, or the first unused take of it.
func (s *Set) FreeDiscussion(want string) string {
	c := stateOf(s, discussion)
	if c.Threads[want] == nil {
		return want
	}
	return c.freeTake(want)
}

// Held returns why a user cannot take over a ticket's conversation, or "": only a blocked ticket can be given back.
func (s *Set) Held(ticket string) string {
	for _, t := range s.Tickets() {
		if t.ID == ticket {
			if t.Status == events.StatusBlocked {
				return ""
			}
			return "only a blocked ticket can be worked on by hand and given back: it is " + t.Status
		}
	}
	return "there is no such ticket"
}

// DiscussionInfo describes a discussion without its entries.
type DiscussionInfo struct {
	Name        string `json:"name"`
	Active      bool   `json:"active"`
	Take        bool   `json:"take"`           // its name has the form BASE_take_N
	From        string `json:"from,omitempty"` // the discussion from which it was branched
	Entries     int    `json:"entries"`
	Bytes       int    `json:"bytes"`
	GitCommit   string `json:"git_commit"`
	LastUpdated string `json:"last_updated"`
	by          string
}

// By returns the id of the event that created the discussion.
func (d DiscussionInfo) By() string { return d.by }

// Discussions returns the session's discussions in the order in which they were created.
func (s *Set) Discussions() []DiscussionInfo {
	c := stateOf(s, discussion)
	out := make([]DiscussionInfo, 0, len(c.Threads))
	// order-independent: sorted below
	for name, t := range c.Threads {
		_, take := TakeBase(name)
		out = append(out, DiscussionInfo{
			Name: name, Active: name == c.Active, Take: take, From: t.From, Entries: len(t.Entries), Bytes: t.Bytes,
			GitCommit: t.GitCommit, LastUpdated: t.updated(), by: t.By,
		})
	}
	slices.SortFunc(out, func(a, b DiscussionInfo) int {
		return cmp.Or(cmp.Compare(c.Threads[a.Name].Begun, c.Threads[b.Name].Begun), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// DiscussionRoles returns the roles that entries may have. The result is shared
// and must not be modified.
func (s *Set) DiscussionRoles() []string { return stateOf(s, discussion).Roles }

// ActiveDiscussion returns the name of the active discussion.
func (s *Set) ActiveDiscussion() string { return stateOf(s, discussion).Active }

// DiscussionEntry is an entry with the id that is needed to edit it.
type DiscussionEntry struct {
	ID    string `json:"id"`
	Entry Entry  `json:"entry"`
}

// DiscussionEntries returns the entries of a discussion; false if there is none with that name. An
// empty name means the active one.
func (s *Set) DiscussionEntries(name string) ([]DiscussionEntry, bool) {
	c := stateOf(s, discussion)
	t := c.Threads[cmp.Or(name, c.Active)]
	if t == nil {
		return nil, false
	}
	out := make([]DiscussionEntry, len(t.Entries))
	for i, n := range t.Entries {
		out[i] = DiscussionEntry{n.ID, n.shown()}
	}
	return out, true
}
