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

// Bounds of what discussions take.
const (
	// MaxDiscussions is the number of discussions of a session.
	MaxDiscussions = 256
	// MaxDiscussionName is the length of a discussion's name in bytes.
	MaxDiscussionName = 128
	// MaxEntries is the number of entries that a client may bring at once, and
	// may hold in all discussions together by branching and importing.
	MaxEntries = 100_000
	// MaxDiscussionBytes is what all discussions together may hold before
	// nothing can be branched, imported or uploaded any more.
	MaxDiscussionBytes = 64 << 20
	// MaxRoles is the number of roles, MaxRole the length of one in bytes.
	MaxRoles = 64
	MaxRole  = 64

	entryOverhead = 128
)

// firstDiscussion is the one that every session begins with, as the original names it.
const firstDiscussion = "main"

// thread is one discussion.
type thread struct {
	By          string        `json:"by,omitempty"`   // id of the event that began it
	Begun       uint64        `json:"begun"`          // sequence of that event
	From        string        `json:"from,omitempty"` // the discussion that it was branched off
	GitCommit   string        `json:"git_commit,omitempty"`
	LastUpdated string        `json:"last_updated,omitempty"` // as imported
	Updated     time.Time     `json:"updated"`
	Bytes       int           `json:"bytes"`
	Entries     []storedEntry `json:"entries"`
}

func (t *thread) append(e *events.Event, n storedEntry) {
	t.Entries = append(t.Entries, n)
	t.Bytes += n.size()
	t.Updated = e.Time
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

// document is the view as encoding/json writes it fastest.
func (t *thread) document() any {
	entries := make([]any, len(t.Entries))
	for i, n := range t.Entries {
		if entries[i] = n.Entry; n.Entry == nil {
			entries[i] = n.Raw
		}
	}
	return map[string]any{"entries": entries}
}

// updated is when the discussion was last changed, as far as it is known.
func (t *thread) updated() string {
	if t.Updated.IsZero() {
		return t.LastUpdated
	}
	return t.Updated.Format(entryTime)
}

// takeName is what branches are called.
var takeName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+)_take_[0-9]+$`)
})

// TakeBase is the name of the discussion that a take was branched off in the
// end; false for a discussion at the top level.
func TakeBase(name string) (string, bool) {
	found := takeName().FindStringSubmatch(name)
	if found == nil {
		return name, false
	}
	base, _ := TakeBase(found[1])
	return base, true
}

// CheckDiscussionName says what is wrong with a name; empty: nothing.
func CheckDiscussionName(name string) string {
	switch {
	case name == "" || len(name) > MaxDiscussionName:
		return fmt.Sprintf("a discussion's name has 1 to %d bytes", MaxDiscussionName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "a discussion's name is printable text"
	case strings.TrimSpace(name) != name:
		return "a discussion's name neither begins nor ends with a space"
	}
	return ""
}

// freeTake is the first take of a discussion that there is not yet.
func (c *conversation) freeTake(from string) string {
	base, _ := TakeBase(from)
	for n := 1; ; n++ {
		name := base + "_take_" + strconv.Itoa(n)
		if c.Threads[name] == nil {
			return name
		}
	}
}

// room says why another discussion with these entries does not fit; empty: it does.
func (c *conversation) room(threads, entries, bytes int) string {
	threads += len(c.Threads)
	// order-independent: sums
	for _, t := range c.Threads {
		entries += len(t.Entries)
		bytes += t.Bytes
	}
	switch {
	case threads > MaxDiscussions:
		return fmt.Sprintf("there are %d discussions at most", MaxDiscussions)
	case entries > MaxEntries:
		return fmt.Sprintf("all discussions together hold %d entries at most", MaxEntries)
	case bytes > MaxDiscussionBytes:
		return fmt.Sprintf("all discussions together hold %d MiB at most", MaxDiscussionBytes>>20)
	}
	return ""
}

// DiscussionInfo is what is known of a discussion beside its entries.
type DiscussionInfo struct {
	Name        string `json:"name"`
	Active      bool   `json:"active"`
	Take        bool   `json:"take"`           // its name is BASE_take_N
	From        string `json:"from,omitempty"` // the discussion that it was branched off
	Entries     int    `json:"entries"`
	Bytes       int    `json:"bytes"`
	GitCommit   string `json:"git_commit"`
	LastUpdated string `json:"last_updated"`
	by          string
}

// By is the id of the event that began the discussion.
func (d DiscussionInfo) By() string { return d.by }

// Discussions lists the session's discussions in the order in which they began.
func (s *Set) Discussions() []DiscussionInfo {
	c := stateOf(s, discussion)
	out := make([]DiscussionInfo, 0, len(c.Threads))
	// order-independent: the list is sorted below
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

// DiscussionRoles are the roles that entries may have. They are shared: read them only.
func (s *Set) DiscussionRoles() []string { return stateOf(s, discussion).Roles }

// ActiveDiscussion is the name of the active discussion.
func (s *Set) ActiveDiscussion() string { return stateOf(s, discussion).Active }

// DiscussionEntry is an entry with the id by which it is edited.
type DiscussionEntry struct {
	ID    string `json:"id"`
	Entry Entry  `json:"entry"`
}

// DiscussionEntries are the entries of a discussion; false if there is none of
// that name. An empty name means the active one.
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
