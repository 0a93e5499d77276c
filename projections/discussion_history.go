package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/projections/undo"
)

// History is the discussion table of a project in the form in which the original system stores it
// in history.toml.
type History struct {
	Roles       []string                  `json:"roles" toml:"roles"`
	Active      string                    `json:"active" toml:"active"`
	Discussions map[string]HistoryStretch `json:"discussions" toml:"discussions"`
	// Ignored are the unknown keys of the file.
	Ignored []string `json:"-" toml:"-"`
}

// HistoryStretch is one discussion of a [History]. Each entry is a text: an optional line with "@"
// and a time, a line with the role and a colon, and the content.
type HistoryStretch struct {
	GitCommit   string   `json:"git_commit" toml:"git_commit"`
	LastUpdated string   `json:"last_updated" toml:"last_updated"`
	History     []string `json:"history" toml:"history,multiline"`
}

// entryTime is the time format of the original system.
const entryTime = "2006-01-02T15:04:05"

// HistoryEntry is an entry of history.toml.
type HistoryEntry struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	Collapsed bool   `json:"collapsed"`
	Time      string `json:"ts"`
}

// String returns the text of the entry.
func (n HistoryEntry) String() string {
	text := n.Role + ":\n" + n.Content
	if n.Time != "" {
		return "@" + n.Time + "\n" + text
	}
	return text
}

// ParseHistoryEntry parses an entry of history.toml. The case of the role does not matter; the
// role may be in brackets and without a colon. If the first line is not a role, the whole text is
// the content, and the role is User.
func ParseHistoryEntry(text string, roles []string) HistoryEntry {
	n := HistoryEntry{Role: RoleUser}
	if at, rest, found := strings.Cut(text, "\n"); found && strings.HasPrefix(at, "@") {
		n.Time, text = strings.TrimSpace(at[1:]), rest
	}
	n.Content = text
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimSuffix(strings.TrimSpace(line), ":")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "["), "]")
	line = strings.TrimSuffix(line, ":")
	for _, role := range roles {
		if strings.EqualFold(role, line) {
			n.Role, n.Content = role, rest
			break
		}
	}
	return n
}

// historyEntry returns the entry in the form of history.toml.
func (n storedEntry) historyEntry(roles []string) HistoryEntry {
	if n.Entry != nil {
		out := HistoryEntry{Role: n.Entry.Role, Content: n.Entry.Content, Collapsed: n.Entry.Collapsed,
			Time: n.Entry.Time.Format(entryTime)}
		if ref := n.Entry.Blob; ref != nil {
			out.Content = fmt.Sprintf("[%s of %s: %d bytes, sha256 %s]", n.Entry.View, n.Entry.Path, ref.Size, ref.SHA256)
		}
		return out
	}
	var text string
	if json.Unmarshal(n.Raw, &text) == nil {
		return ParseHistoryEntry(text, roles)
	}
	var members map[string]any
	if json.Unmarshal(n.Raw, &members) != nil {
		return HistoryEntry{Role: RoleUser, Content: string(n.Raw)}
	}
	word := func(name string) string { s, _ := members[name].(string); return s }
	out := HistoryEntry{Role: cmp.Or(word("role"), RoleUser), Content: word("content"), Time: word("ts")}
	out.Collapsed, _ = members["collapsed"].(bool)
	return out
}

// ActiveHistory returns the active discussion in the form of history.toml.
func (s *Set) ActiveHistory() []string {
	c := stateOf(s, discussion)
	return c.Threads[c.Active].history(c.Roles)
}

func (t *thread) history(roles []string) []string {
	out := make([]string, len(t.Entries))
	for i, n := range t.Entries {
		out[i] = n.historyEntry(roles).String()
	}
	return out
}

// History returns every discussion of the session in the form of history.toml.
func (s *Set) History() History {
	c := stateOf(s, discussion)
	out := History{Roles: slices.Clone(c.Roles), Active: c.Active, Discussions: map[string]HistoryStretch{}}
	// order-independent: each name has its own key
	for name, t := range c.Threads {
		out.Discussions[name] = HistoryStretch{GitCommit: t.GitCommit, LastUpdated: t.updated(), History: t.history(c.Roles)}
	}
	return out
}

// Check returns why a history cannot be imported, or "".
func (h History) Check() string {
	if len(h.Roles) > 0 {
		if reason := CheckRoles(h.Roles); reason != "" {
			return reason
		}
	}
	if len(h.Discussions) == 0 {
		return "it contains no discussion"
	}
	for _, name := range slices.Sorted(maps.Keys(h.Discussions)) {
		if reason := CheckDiscussionName(name); reason != "" {
			return reason
		}
	}
	if _, ok := h.Discussions[h.Active]; h.Active != "" && !ok {
		return "it does not contain the active discussion"
	}
	return ""
}

// importHistory adds or replaces all discussions of a history, or none of them.
func (c *conversation) importHistory(e *events.Event, raw []byte) string {
	var h History
	if json.Unmarshal(raw, &h) != nil {
		return "the history cannot be read"
	}
	if reason := h.Check(); reason != "" {
		return reason
	}
	roles := c.Roles
	if len(h.Roles) > 0 {
		roles = h.Roles
	}
	made, fresh, entries, bytes := map[string]*thread{}, 0, 0, 0
	for i, name := range slices.Sorted(maps.Keys(h.Discussions)) {
		t, err := imported(e, strconv.Itoa(i), h.Discussions[name], roles)
		if err != nil {
			return "an entry cannot be kept: " + err.Error()
		}
		made[name] = t
		entries, bytes = entries+len(t.Entries), bytes+t.Bytes
		if old := c.Threads[name]; old != nil {
			entries, bytes = entries-len(old.Entries), bytes-old.Bytes
		} else {
			fresh++
		}
	}
	if reason := c.room(fresh, entries, bytes); reason != "" {
		return reason
	}
	maps.Copy(c.Threads, made)
	c.Roles, c.Active = roles, cmp.Or(h.Active, c.Active)
	return ""
}

// imported returns a discussion from a history. Its entries keep their own times.
func imported(e *events.Event, prefix string, h HistoryStretch, roles []string) (*thread, error) {
	t := &thread{By: e.ID, Begun: e.Seq, GitCommit: h.GitCommit, LastUpdated: h.LastUpdated}
	entries := make([]storedEntry, len(h.History))
	for i, text := range h.History {
		raw, err := json.Marshal(ParseHistoryEntry(text, roles))
		if err != nil {
			return nil, err
		}
		entries[i] = storedEntry{ID: e.ID + "-" + prefix + "-" + strconv.Itoa(i), Raw: raw}
	}
	t.set(e, entries)
	t.Updated = time.Time{}
	return t, nil
}

// NewDigestSet starts every model of [Catalogue] for digests only. The digests equal those of
// [NewSet], but the texts of the discussions, which are the largest part of a session, are dropped
// as soon as their digests are known. Views and snapshots of the set lack these texts.
func NewDigestSet() *Set {
	makers := Catalogue()
	for i, start := range makers {
		if start().Name() == discussion.Name {
			makers[i] = sealedDiscussion
		}
	}
	return NewSetOf(makers)
}

func sealedDiscussion() Model {
	f := discussion
	f.New = func() *conversation {
		c := newConversation()
		c.seals = true
		return c
	}
	return f.Model()
}

// sealed returns the entry with its content replaced by a digest.
func (n storedEntry) sealed() storedEntry {
	if n.Entry == nil || n.SHA256 != "" {
		return n
	}
	entry := *n.Entry
	entry.Content = ""
	n.content, n.SHA256, n.Entry = len(n.Entry.Content), events.Digest([]byte(n.Entry.Content)), &entry
	return n
}

// sealed returns the value from which the discussions' digest is computed.
func (c *conversation) sealed() any {
	type plain conversation
	out := plain(*c)
	out.Threads = sealedThreads(c.Threads)
	out.Compacts = maps.Clone(c.Compacts)
	// order-independent: each is replaced by a copy
	for turn, shorter := range c.Compacts {
		shown := *shorter
		shown.Summary = shorter.Summary.sealed()
		out.Compacts[turn] = &shown
	}
	out.History.Done, out.History.Undone = sealedSteps(c.History.Done), sealedSteps(c.History.Undone)
	return out
}

func sealedSteps(steps []undo.Step[talkSide]) []undo.Step[talkSide] {
	out := slices.Clone(steps)
	for i := range out {
		side := &out[i].Other
		side.Threads = sealedThreads(side.Threads)
		if side.Was != nil {
			side.Was = new(side.Was.sealed())
		}
	}
	return out
}

// sealedThreads returns a copy of the discussions with sealed entries.
func sealedThreads(threads map[string]*thread) map[string]*thread {
	out := maps.Clone(threads)
	// order-independent: each thread is replaced by a copy
	for name, t := range threads {
		if t == nil {
			continue
		}
		shown := *t
		shown.Entries = slices.Clone(t.Entries)
		for i, n := range shown.Entries {
			shown.Entries[i] = n.sealed()
		}
		out[name] = &shown
	}
	return out
}
