package projections

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/projections/undo"
)

// notNewest is why a change cannot be undone or redone out of order.
const notNewest = "another change was made since, or the step was already undone or redone"

// talkSide is the state that a step of the discussions restores. Each step uses some of its members.
type talkSide struct {
	// Thread and Entry name one entry: Was is the entry, or nil if there was none, and Behind is the
	// entry before it.
	Thread string       `json:"thread,omitempty"`
	Entry  string       `json:"entry,omitempty"`
	Was    *storedEntry `json:"was,omitempty"`
	Behind string       `json:"behind,omitempty"`
	// From and To are a new name and the name to restore.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Threads are whole discussions; nil if there was none of that name.
	Threads map[string]*thread `json:"threads,omitempty"`
	Active  string             `json:"active,omitempty"`
	Roles   []string           `json:"roles,omitempty"`
}

func (d talkSide) empty() bool {
	return d.Entry == "" && d.From == "" && len(d.Threads) == 0 && d.Active == "" && d.Roles == nil
}

// size returns the approximate size of the side in bytes.
func (d talkSide) size() int {
	size := entryOverhead
	if d.Was != nil {
		size += d.Was.size()
	}
	// order-independent: adds up
	for _, t := range d.Threads {
		size += entryOverhead
		if t != nil {
			size += t.Bytes
		}
	}
	return size
}

// wide returns the current state of everything that an operation on whole discussions can change.
func (c *conversation) wide() talkSide {
	return talkSide{Threads: maps.Clone(c.Threads), Active: c.Active, Roles: c.Roles}
}

// changed reduces a complete side to the parts that have changed since. Other sides are not modified.
func (d talkSide) changed(c *conversation) talkSide {
	if d.Entry != "" || d.From != "" {
		return d
	}
	out := talkSide{Threads: map[string]*thread{}}
	// order-independent: each name has its own key
	for name, t := range d.Threads {
		if c.Threads[name] != t {
			out.Threads[name] = t
		}
	}
	// order-independent: each name has its own key
	for name := range c.Threads {
		if d.Threads[name] == nil {
			out.Threads[name] = nil
		}
	}
	if d.Active != c.Active {
		out.Active = d.Active
	}
	if !slices.Equal(d.Roles, c.Roles) {
		out.Roles = d.Roles
	}
	return out
}

// before returns the current state of what an operation will change.
func (c *conversation) before(e *events.Event, p *events.DiscussionChanged) talkSide {
	name := cmp.Or(p.Discussion, c.Active)
	switch p.Operation {
	case events.DiscussionRename:
		return talkSide{From: p.To, To: p.Discussion}
	case events.EntryAdd:
		return talkSide{Thread: name, Entry: e.ID}
	case events.EntryEdit, events.EntryDelete:
		return c.Threads[name].side(name, p.Entry)
	}
	return c.wide()
}

// side returns an entry with its place.
func (t *thread) side(name, id string) talkSide {
	out := talkSide{Thread: name, Entry: id}
	if t == nil {
		return out
	}
	if i := t.find(id); i >= 0 {
		out.Was = new(t.Entries[i])
		if i > 0 {
			out.Behind = t.Entries[i-1].ID
		}
	}
	return out
}

// what describes an operation before it is carried out.
func (c *conversation) what(p *events.DiscussionChanged) string {
	name := cmp.Or(p.Discussion, c.Active)
	entry := 0
	if t := c.Threads[name]; t != nil {
		entry = t.find(p.Entry) + 1
		if p.Operation == events.EntryAdd {
			entry = len(t.Entries) + 1
		}
	}
	switch p.Operation {
	case events.DiscussionCreate:
		return "created " + name
	case events.DiscussionFork:
		return "branched " + c.freeTake(name) + " off " + name
	case events.DiscussionSwitch:
		return "switched to " + name
	case events.DiscussionRename:
		return "renamed " + name + " to " + p.To
	case events.DiscussionDelete:
		return "deleted " + name
	case events.DiscussionRoles:
		return "set the roles"
	case events.DiscussionReplace:
		return "replaced the entries of " + c.Active
	case events.EntryAdd:
		return fmt.Sprintf("added entry %d to %s", entry, name)
	case events.EntryDelete:
		return fmt.Sprintf("deleted entry %d of %s", entry, name)
	}
	return fmt.Sprintf("edited entry %d of %s", entry, name)
}

// remember adds a step to the history of the discussions.
func (c *conversation) remember(e *events.Event, what string, before talkSide) {
	if !before.empty() {
		c.History.Add(undo.Info{ID: e.ID, Seq: e.Seq, At: e.Time, By: e.Actor, What: what}, before, before.size())
	}
}

// restored undoes or redoes a step, or returns why that is not possible.
func (c *conversation) restored(e *events.Event, p *events.CurationRestored) string {
	n := c.History.Next(p.Redo)
	switch {
	case !c.History.Has(p.Step):
		return "" // a step of the project
	case n == nil || n.ID != p.Step:
		return notNewest
	}
	other, reason := c.swap(e, n.Other, n.Moved)
	if reason == "" {
		c.History.Move(p.Redo, e.Seq, other, other.size())
	}
	return reason
}

// swap restores one side of a step whose newest move was at since, and returns the other side.
func (c *conversation) swap(e *events.Event, to talkSide, since uint64) (other talkSide, reason string) {
	switch {
	case to.Entry != "":
		return c.swapEntry(e, to)
	case to.From != "":
		if c.Threads[to.To] != nil {
			return other, "the name " + to.To + " is taken by a discussion that stays, because a model has spoken in it"
		}
		return talkSide{From: to.To, To: to.From}, c.rename(to.From, to.To)
	}
	for _, name := range slices.Sorted(maps.Keys(to.Threads)) {
		if now := c.Threads[name]; to.Threads[name] != nil && now != nil && now.Begun > since {
			return other, "the name " + name + " is taken by a discussion that has since begun with a summary"
		}
	}
	other.Threads = map[string]*thread{}
	// order-independent: each name is handled on its own
	for name, was := range to.Threads {
		now := c.Threads[name]
		late := now.late(since)
		switch {
		case was != nil:
			t := *was
			t.set(e, slices.Concat(was.Entries, late))
			c.Threads[name], other.Threads[name] = &t, now
		case now != nil && len(late) == 0:
			delete(c.Threads, name)
			other.Threads[name] = now
		}
	}
	if to.Roles != nil {
		other.Roles, c.Roles = c.Roles, to.Roles
	}
	if to.Active != "" {
		other.Active, c.Active = c.Active, to.Active
	}
	if c.Threads[c.Active] == nil {
		c.Active = c.oldest()
	}
	return other, ""
}

// swapEntry restores an entry, or its absence.
func (c *conversation) swapEntry(e *events.Event, to talkSide) (other talkSide, reason string) {
	t, reason := c.named(to.Thread)
	if reason != "" {
		return other, reason
	}
	other = t.side(to.Thread, to.Entry)
	entries, i := slices.Clone(t.Entries), t.find(to.Entry)
	switch {
	case to.Was == nil && i >= 0:
		entries = slices.Delete(entries, i, i+1)
	case to.Was != nil && i >= 0:
		entries[i] = *to.Was
	case to.Was != nil:
		entries = slices.Insert(entries, t.find(to.Behind)+1, *to.Was)
	}
	t.set(e, entries)
	return other, ""
}

// late returns the entries that models, tools and turns added after a position.
func (t *thread) late(since uint64) []storedEntry {
	if t == nil {
		return nil
	}
	var out []storedEntry
	for _, n := range t.Entries {
		if n.Entry != nil && n.Entry.Seq > since {
			out = append(out, n)
		}
	}
	return out
}

// projectSide is the state that a step of the project restores.
type projectSide struct {
	Changes  json.RawMessage `json:"changes,omitempty"` // of the document
	Selected string          `json:"selected,omitempty"`
	Preset   string          `json:"preset,omitempty"`
	Was      *ContextPreset  `json:"was,omitempty"` // nil if there was no preset of that name
}

func (d projectSide) size() int {
	size := entryOverhead + len(d.Changes)
	if raw, err := json.Marshal(d.Was); err == nil {
		size += len(raw)
	}
	return size
}

// rememberEdit adds a step for an edit of the document, before the edit takes effect.
func (p *projectState) rememberEdit(e *events.Event, after json.RawMessage, selected string) {
	changes, keys := reverse(after, p.Document)
	if len(keys) == 0 {
		return
	}
	if more := len(keys) - 3; more > 0 {
		keys = append(keys[:3], fmt.Sprintf("and %d more", more))
	}
	before := projectSide{Changes: changes, Selected: selected}
	p.History.Add(undo.Info{ID: e.ID, Seq: e.Seq, At: e.Time, By: e.Actor, What: "changed " + strings.Join(keys, ", ")},
		before, before.size())
}

// rememberPreset adds a step for a change to a preset, before the change takes effect.
func (p *projectState) rememberPreset(e *events.Event, w *events.ContextPresetChanged, was ContextPreset, known bool) {
	before := projectSide{Preset: w.Name}
	if known {
		before.Was = &was
	}
	did := map[string]string{events.PresetSave: "saved preset ", events.PresetSlice: "added slices to preset ",
		events.PresetDelete: "deleted preset "}[w.Operation]
	p.History.Add(undo.Info{ID: e.ID, Seq: e.Seq, At: e.Time, By: e.Actor, What: did + w.Name}, before, before.size())
}

// restored undoes or redoes a step. Changes of the document apply even if the step is not the next one, because the
// settings apply them as well; they then count as an ordinary edit.
func (p *projectState) restored(e *events.Event, w *events.CurationRestored) string {
	n := p.History.Next(w.Redo)
	if n == nil || n.ID != w.Step {
		switch {
		case len(w.Changes) > 0:
			return p.edited(e, &events.ProjectEdited{Changes: w.Changes})
		case p.History.Has(w.Step):
			return notNewest
		}
		return ""
	}
	other := projectSide{Preset: n.Other.Preset}
	if n.Other.Preset != "" {
		if now, known := p.Presets[n.Other.Preset]; known {
			other.Was = &now
		}
		if delete(p.Presets, n.Other.Preset); n.Other.Was != nil {
			p.Presets[n.Other.Preset] = *n.Other.Was
		}
	}
	if len(w.Changes) > 0 {
		merged, err := MergePatch(p.Document, w.Changes)
		if err != nil {
			return "the changes must be a JSON object"
		}
		other.Changes, _ = reverse(merged, p.Document)
		other.Selected, p.Selected = p.Selected, n.Other.Selected
		p.Document, p.Edited = merged, e.Seq
	}
	p.History.Move(w.Redo, e.Seq, other, other.size())
	return ""
}

// Curation is the history of people's changes to the discussions, the context and the project.
type Curation struct {
	// Position is the sequence of the newest change, undo or redo; 0 if there was none.
	Position uint64      `json:"position"`
	Undo     []undo.Info `json:"undo"` // the next one first
	Redo     []undo.Info `json:"redo"` // the next one first
}

// Curation returns the newest changes of people, at most [undo.MaxSteps].
func (s *Set) Curation() Curation {
	talk, project := &stateOf(s, discussion).History, &stateOf(s, project).History
	newest := max(talk.Newest, project.Newest)
	out := Curation{Position: max(talk.Position, project.Position),
		Undo: listOf(slices.Concat(infos(talk.Done, 0), infos(project.Done, 0))),
		Redo: listOf(slices.Concat(infos(talk.Undone, newest), infos(project.Undone, newest)))}
	slices.SortFunc(out.Undo, func(a, b undo.Info) int { return cmp.Compare(b.Seq, a.Seq) })
	slices.SortFunc(out.Redo, func(a, b undo.Info) int { return cmp.Compare(a.Seq, b.Seq) })
	out.Redo = out.Redo[:min(len(out.Redo), undo.MaxSteps)]
	out.Undo = out.Undo[:min(len(out.Undo), undo.MaxSteps-len(out.Redo))]
	return out
}

// infos returns the descriptions of the steps that were moved after a position.
func infos[T any](steps []undo.Step[T], after uint64) []undo.Info {
	var out []undo.Info
	for _, n := range steps {
		if n.Moved > after {
			out = append(out, n.Info)
		}
	}
	return out
}

// Restoring returns the event that undoes or redoes the next step, and the step. It returns false if there is none.
func (s *Set) Restoring(redo bool) (events.CurationRestored, undo.Info, bool) {
	now := s.Curation()
	steps := now.Undo
	if redo {
		steps = now.Redo
	}
	if len(steps) == 0 {
		return events.CurationRestored{}, undo.Info{}, false
	}
	out := events.CurationRestored{Step: steps[0].ID, Redo: redo}
	if n := stateOf(s, project).History.Next(redo); n != nil && n.ID == out.Step {
		out.Changes = n.Other.Changes
	}
	return out, steps[0], true
}
