package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// maxRefusals limits how many rejected requests a read model remembers.
const maxRefusals = 64

// refusal is the reason why a user's request changed nothing.
type refusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// refuse returns the newest refusals including a new one.
func refuse(all []refusal, id, reason string) []refusal {
	if len(all) >= maxRefusals {
		all = all[1:]
	}
	return append(slices.Clip(all), refusal{id, reason})
}

func refusalOf(all []refusal, id string) string {
	for _, r := range all {
		if r.ID == id {
			return r.Reason
		}
	}
	return ""
}

// DiscussionRefusal returns why a user's event did not change any discussion. It is empty if the
// event did, or if newer refusals have displaced its reason.
func (s *Set) DiscussionRefusal(id string) string {
	return refusalOf(stateOf(s, discussion).Refused, id)
}

// said folds a user's changes to the discussions. An impossible change has no effect; the reason
// is kept so that the gateway can report it.
func (c *conversation) said(e *events.Event) {
	var reason string
	switch p := e.Payload.(type) {
	case events.SessionPartUploaded:
		reason = c.uploaded(e, &p)
	case events.DiscussionChanged:
		before, what := c.before(e, &p), c.what(&p)
		if reason = c.changed(e, &p); reason == "" {
			c.remember(e, what, before.changed(c))
		}
	case events.ConversationOpened:
		before := c.wide()
		if reason = c.open(e, &p); reason == "" {
			c.remember(e, "opened "+p.Ticket+" as "+p.Discussion, before.changed(c))
		}
	case events.CurationRestored:
		reason = c.restored(e, &p)
	}
	if reason != "" {
		c.Refused = refuse(c.Refused, e.ID, reason)
	}
}

// changed carries out an operation, or returns why that is not possible.
func (c *conversation) changed(e *events.Event, p *events.DiscussionChanged) (reason string) {
	switch p.Operation {
	case events.DiscussionCreate:
		return c.create(e, p.Discussion)
	case events.DiscussionFork:
		return c.fork(e, p)
	case events.DiscussionSwitch:
		if _, reason = c.named(p.Discussion); reason == "" {
			c.Active = p.Discussion
		}
		return reason
	case events.DiscussionRename:
		return c.rename(p.Discussion, p.To)
	case events.DiscussionDelete:
		return c.remove(p.Discussion)
	case events.DiscussionRoles:
		return c.setRoles(p.Roles)
	case events.DiscussionReplace:
		return c.replace(e, p.Entries)
	}
	name := cmp.Or(p.Discussion, c.Active)
	t, reason := c.named(name)
	if reason != "" {
		return reason
	}
	i := t.find(p.Entry)
	switch {
	case p.Operation == events.EntryAdd:
		return c.addEntry(e, name, p)
	case p.Operation != events.EntryEdit && p.Operation != events.EntryDelete:
		return "there is no such operation on discussions"
	case i < 0:
		return "there is no such entry"
	case p.Operation == events.EntryEdit:
		return c.edit(e, t, i, p)
	}
	t.set(e, slices.Delete(slices.Clone(t.Entries), i, i+1))
	return ""
}

func (c *conversation) addEntry(e *events.Event, name string, p *events.DiscussionChanged) string {
	if p.Role == nil || p.Content == nil {
		return "an entry needs a role and content"
	}
	if reason := c.knownRole(*p.Role); reason != "" {
		return reason
	}
	c.addTo(name, e, Entry{Role: *p.Role, Content: *p.Content, Collapsed: p.Collapsed != nil && *p.Collapsed})
	return ""
}

func (c *conversation) named(name string) (*thread, string) {
	if t := c.Threads[name]; t != nil {
		return t, ""
	}
	return nil, "there is no such discussion"
}

func (c *conversation) knownRole(role string) string {
	if slices.Contains(c.Roles, role) {
		return ""
	}
	return "there is no such role; the roles are " + strings.Join(c.Roles, ", ")
}

// newName returns why a new discussion cannot have this name, or "".
func (c *conversation) newName(name string) string {
	if reason := CheckDiscussionName(name); reason != "" {
		return reason
	}
	if c.Threads[name] != nil {
		return "a discussion of that name already exists"
	}
	return ""
}

func (c *conversation) create(e *events.Event, name string) string {
	reason := cmp.Or(c.newName(name), c.room(1, 0, 0))
	if reason == "" {
		c.Threads[name] = &thread{By: e.ID, Begun: e.Seq, Updated: e.Time, Entries: []storedEntry{}}
	}
	return reason
}

// open creates a discussion of the newest entries about a ticket.
func (c *conversation) open(e *events.Event, p *events.ConversationOpened) string {
	found := map[string]storedEntry{}
	// order-independent: each entry has its own id, and the entries are sorted below
	for _, t := range c.Threads {
		for _, n := range t.Entries {
			if n.Entry != nil && n.Entry.Ticket == p.Ticket && p.Ticket != "" {
				found[n.ID] = n
			}
		}
	}
	entries := slices.SortedFunc(maps.Values(found), func(a, b storedEntry) int {
		return cmp.Or(cmp.Compare(a.Entry.Seq, b.Entry.Seq), cmp.Compare(a.ID, b.ID))
	})
	entries = entries[max(0, len(entries)-events.MaxOpened):]
	t := &thread{By: e.ID, Begun: e.Seq}
	t.set(e, entries)
	reason := cmp.Or(c.newName(p.Discussion), c.room(1, len(entries), t.Bytes))
	if len(entries) == 0 {
		reason = "this ticket has no conversation yet"
	}
	if reason == "" {
		c.Threads[p.Discussion] = t
	}
	return reason
}

func (c *conversation) fork(e *events.Event, p *events.DiscussionChanged) string {
	from, reason := c.named(p.Discussion)
	if reason != "" {
		return reason
	}
	end := len(from.Entries)
	if p.Entry != "" {
		if end = from.find(p.Entry) + 1; end == 0 {
			return "there is no such entry"
		}
	}
	t := &thread{By: e.ID, Begun: e.Seq, From: p.Discussion, GitCommit: from.GitCommit}
	t.set(e, append([]storedEntry{}, from.Entries[:end]...))
	name := c.freeTake(p.Discussion)
	if reason := cmp.Or(CheckDiscussionName(name), c.room(1, len(t.Entries), t.Bytes)); reason != "" {
		return reason
	}
	c.Threads[name] = t
	return ""
}

func (c *conversation) rename(from, to string) string {
	t, reason := c.named(from)
	if reason = cmp.Or(reason, c.newName(to)); reason != "" {
		return reason
	}
	delete(c.Threads, from)
	c.Threads[to] = t
	// order-independent: each turn is handled on its own
	for turn, name := range c.Turns {
		if name == from {
			c.Turns[turn] = to
		}
	}
	if c.Active == from {
		c.Active = to
	}
	return ""
}

// remove deletes a discussion. If it was active, the discussion from which it was branched becomes
// active, or else the oldest.
func (c *conversation) remove(name string) string {
	t, reason := c.named(name)
	switch {
	case reason != "":
		return reason
	case len(c.Threads) == 1:
		return "the only discussion cannot be deleted"
	}
	delete(c.Threads, name)
	if c.Active != name {
		return ""
	}
	c.Active = t.From
	if c.Threads[t.From] == nil {
		c.Active = c.oldest()
	}
	return ""
}

func (c *conversation) oldest() string {
	first := ""
	// order-independent: finds the minimum of a total order
	for name, t := range c.Threads {
		if first == "" || cmp.Or(cmp.Compare(t.Begun, c.Threads[first].Begun), cmp.Compare(name, first)) < 0 {
			first = name
		}
	}
	return first
}

// CheckRoles returns why a list of roles is invalid, or "".
func CheckRoles(roles []string) string {
	if len(roles) == 0 || len(roles) > MaxRoles {
		return fmt.Sprintf("the list must have 1 to %d roles", MaxRoles)
	}
	seen := map[string]bool{}
	for _, r := range roles {
		folded := strings.ToLower(r)
		switch {
		case r == "" || len(r) > MaxRole || CheckDiscussionName(r) != "" || strings.ContainsAny(r, "[]:"):
			return fmt.Sprintf("a role must be printable text of 1 to %d bytes without brackets and colons", MaxRole)
		case seen[folded]:
			return "two roles are equal or differ only in case"
		}
		seen[folded] = true
	}
	return ""
}

func (c *conversation) setRoles(roles []string) string {
	reason := CheckRoles(roles)
	if reason == "" {
		c.Roles = roles
	}
	return reason
}

func (c *conversation) edit(e *events.Event, t *thread, i int, p *events.DiscussionChanged) string {
	if p.Role != nil {
		if reason := c.knownRole(*p.Role); reason != "" {
			return reason
		}
	}
	n, reason := t.Entries[i].edited(e.ID, p)
	if reason != "" {
		return reason
	}
	n = c.stored(n)
	t.Bytes += n.size() - t.Entries[i].size()
	t.Entries[i], t.Updated = n, e.Time
	return ""
}

// edited returns an edited copy of the entry; by is the id of the event with the edit.
func (n storedEntry) edited(by string, p *events.DiscussionChanged) (storedEntry, string) {
	if n.Entry == nil {
		return n.editedRaw(p)
	}
	changed := *n.Entry
	out := n
	out.Entry = &changed
	if p.Role != nil {
		changed.Role = *p.Role
	}
	if p.Content != nil {
		changed.Content, changed.Blob = *p.Content, nil
		out.From, out.Index, out.Whole, out.SHA256, out.content = by, 0, nil, "", 0
	}
	if p.Collapsed != nil {
		changed.Collapsed = *p.Collapsed
	}
	return out, ""
}

// editedRaw returns an edited copy of a client's entry; its other members do not change.
func (n storedEntry) editedRaw(p *events.DiscussionChanged) (storedEntry, string) {
	var members map[string]any
	if json.Unmarshal(n.Raw, &members) != nil || members == nil {
		return n, "the entry is not an object, so it cannot be edited"
	}
	if p.Role != nil {
		members["role"] = *p.Role
	}
	if p.Content != nil {
		members["content"] = *p.Content
	}
	if p.Collapsed != nil {
		members["collapsed"] = *p.Collapsed
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return n, "the entry cannot be written"
	}
	return storedEntry{ID: n.ID, Raw: raw}, ""
}

// replace replaces the entries of the active discussion by a client's, unchanged. Anything but an
// array has no effect.
func (c *conversation) replace(e *events.Event, raw json.RawMessage) string {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		return "the entries must be a list"
	}
	if len(entries) > MaxEntries {
		return fmt.Sprintf("at most %d entries can be set at once", MaxEntries)
	}
	stored := make([]storedEntry, len(entries))
	for i, n := range entries {
		stored[i] = storedEntry{ID: e.ID + "-" + strconv.Itoa(i), Raw: n}
	}
	t := *c.Threads[c.Active] // a step of the history keeps the old one
	t.set(e, stored)
	c.Threads[c.Active] = &t
	return ""
}
