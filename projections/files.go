package projections

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"manualslop/events"
)

// FileRecord is the last recorded state of a file.
type FileRecord struct {
	SHA256   string     `json:"sha256"` // empty if the file does not exist
	Size     int64      `json:"size"`
	Seen     time.Time  `json:"seen"`
	SeenSeq  uint64     `json:"seen_seq"`
	Written  *time.Time `json:"written,omitempty"` // newest write by a tool
	WrittenN int        `json:"written_count,omitempty"`
	Call     string     `json:"call,omitempty"`   // the call that wrote it last
	Ticket   string     `json:"ticket,omitempty"` // ticket of that call
	Error    string     `json:"error,omitempty"`  // why it could not be read
}

type fileTable struct {
	Calls calls                  `json:"calls"`
	Files map[string]*FileRecord `json:"files"`
}

var files = Fold[*fileTable]{
	Name: "files", Version: 1,
	Takes: ofTheWork,
	New:   func() *fileTable { return &fileTable{Calls: calls{}, Files: map[string]*FileRecord{}} },
	Apply: (*fileTable).apply,
	View: func(t *fileTable) any {
		return struct {
			Files map[string]*FileRecord `json:"files"`
		}{t.Files}
	},
}

func (t *fileTable) apply(e *events.Event) *fileTable {
	switch p := e.Payload.(type) {
	case events.ContextBuilt:
		for _, v := range p.Views {
			if v.File != nil {
				t.see(e, v.File.Path, v.File.SHA256, v.File.Size)
			}
		}
	case events.FilesUpdated:
		for _, f := range p.Files {
			if r := t.see(e, f.Path, f.After, f.Size); f.Error != "" {
				r.Error = f.Error
			}
		}
	default:
		k, counts := t.Calls.take(e)
		if settled, ok := e.Payload.(events.ToolSettled); ok && counts {
			t.settled(e, k, &settled)
		}
	}
	return t
}

func (t *fileTable) see(e *events.Event, path, sha256 string, size int64) *FileRecord {
	r := t.Files[path]
	if r == nil {
		r = &FileRecord{}
		t.Files[path] = r
	}
	r.SHA256, r.Size, r.Seen, r.SeenSeq, r.Error = sha256, size, e.Time, e.Seq, ""
	return r
}

func (t *fileTable) settled(e *events.Event, k *call, p *events.ToolSettled) {
	for _, f := range p.Files {
		r := t.see(e, f.Path, f.SHA256, f.Size)
		if f.Written {
			at := e.Time
			r.Written, r.Call, r.Ticket = &at, p.Call, k.Ticket
			r.WrittenN++
		}
	}
}

// Files returns all recorded files by path. The result is shared and must not be modified.
func (s *Set) Files() map[string]*FileRecord { return stateOf(s, files).Files }

// Change is a file that calls changed, from its first change to its newest.
type Change struct {
	Path      string  `json:"path"`
	Workspace string  `json:"workspace,omitempty"` // where it lies; empty means the user's folder
	Before    string  `json:"before,omitempty"`    // digest before the first change; empty if the file did not exist
	After     string  `json:"after,omitempty"`     // digest after the newest change; empty if the file is gone
	Unknown   string  `json:"unknown,omitempty"`   // why the newest content is not known; After is empty then
	Accepted  bool    `json:"accepted,omitempty"`  // a user accepted this content
	Writes    []Write `json:"writes"`              // in the order in which they came to the workspace
}

// unknownMerge is the reason why the content of a merged file is not known: the merge combined the work of two tickets.
const unknownMerge = "several tickets changed it at the same time; the merged content is not recorded"

// chained reports whether each write begins with the content that the previous one left behind, or ends with the same
// content.
func (f Change) chained() bool {
	for i, w := range f.Writes[1:] {
		if last := f.Writes[i]; w.Before != last.After && w.After != last.After {
			return false
		}
	}
	return true
}

// Write is one change of a file by a call.
type Write struct {
	Seq    uint64    `json:"seq"` // of the outcome
	Time   time.Time `json:"time"`
	Call   string    `json:"call"`
	Tool   string    `json:"tool"`
	Ticket string    `json:"ticket,omitempty"` // of an undo: the ticket whose work it restores, if it is only one
	By     string    `json:"by"`               // who approved the call: a user, or "rule"
	Before string    `json:"before,omitempty"`
	After  string    `json:"after,omitempty"`
}

// UnseenWrite is a call that may have changed files that are not recorded.
type UnseenWrite struct {
	Seq         uint64   `json:"seq"`
	Call        string   `json:"call"`
	Tool        string   `json:"tool"`
	Ticket      string   `json:"ticket,omitempty"`
	NotUndoable []string `json:"not_undoable,omitempty"` // links and files that no undo restores
}

// Changes are the files that the calls of a session changed, sorted by path. A file that has its original content
// again is left out. Merged work counts from its merge on.
type Changes struct {
	Files  []Change      `json:"files"`
	Unseen []UnseenWrite `json:"unseen"`
}

// Of returns the changes of one ticket. The contents before and after are those of the ticket's own first and newest
// write; an undo that affects several tickets counts if it restores what the ticket found.
func (c Changes) Of(ticket string) Changes {
	out := Changes{Files: []Change{}, Unseen: []UnseenWrite{}}
	for _, f := range c.Files {
		first := slices.IndexFunc(f.Writes, func(w Write) bool { return w.Ticket == ticket })
		if first < 0 {
			continue
		}
		f.Writes = slices.DeleteFunc(slices.Clone(f.Writes[first:]), func(w Write) bool {
			return w.Ticket != ticket && (w.Ticket != "" || w.Tool != events.RestoreTool)
		})
		whole := f.After
		f.Before, f.After = f.Writes[0].Before, f.Writes[len(f.Writes)-1].After
		f.Accepted = f.Accepted && f.After == whole
		switch {
		case f.Unknown == "":
		case f.chained(): // the ticket's own part is known
			f.Unknown = ""
		default:
			f.After = ""
		}
		if f.Before != f.After || f.Unknown != "" {
			out.Files = append(out.Files, f)
		}
	}
	for _, u := range c.Unseen {
		if u.Ticket == ticket {
			out.Unseen = append(out.Unseen, u)
		}
	}
	return out
}

// changer is an approved call without an outcome.
type changer struct {
	Ticket     string `json:"ticket,omitempty"`
	Workspace  string `json:"workspace,omitempty"`
	By         string `json:"by"`
	Generation int    `json:"generation"`
	Digest     string `json:"digest"`
	// Restores are the files of an undo: the outcome of one that was interrupted lists only those of its last run.
	Restores []events.FileChange `json:"restores,omitempty"`
}

// placedWrite is a write of a file in a workspace.
type placedWrite struct {
	Path      string `json:"path"`
	Workspace string `json:"workspace,omitempty"`
	Write
}

type changeTable struct {
	Open     map[string]changer `json:"open"`  // by call
	Undos    map[string]string  `json:"undos"` // ticket by the call that carries out an undo
	Tickets  map[string]string  `json:"tickets"`
	Writes   []placedWrite      `json:"writes"`
	Unseen   []UnseenWrite      `json:"unseen"`
	Merged   map[string]uint64  `json:"merged"`   // sequence of the merge by workspace
	Accepted map[string]string  `json:"accepted"` // digest of the accepted content by path; empty: the file is gone
}

var changes = Fold[*changeTable]{
	Name: "changes", Version: 2,
	Takes: ofTheWork,
	New: func() *changeTable {
		return &changeTable{Open: map[string]changer{}, Undos: map[string]string{}, Tickets: map[string]string{},
			Merged: map[string]uint64{}, Accepted: map[string]string{}}
	},
	Apply: (*changeTable).apply,
	View:  func(t *changeTable) any { return t.changes() },
}

func (t *changeTable) apply(e *events.Event) *changeTable {
	switch p := e.Payload.(type) {
	case events.UndoRequested:
		t.Undos[events.UndoCall(e.ID)] = cmp.Or(p.Ticket, t.Tickets[p.Call])
	case events.UndoRefused:
		delete(t.Undos, events.UndoCall(p.Request))
	case events.ToolApproved:
		ticket := cmp.Or(p.Ticket, t.Undos[p.Call])
		t.Open[p.Call] = changer{ticket, p.Workspace, p.By, p.Generation, p.ArgsSHA256, restores(&p)}
		delete(t.Undos, p.Call)
	case events.ToolSettled:
		by, known := t.Open[p.Call]
		if known && p.Generation == by.Generation && p.ArgsSHA256 == by.Digest {
			t.settled(e, &p, by)
		}
	case events.MergeSettled:
		if p.Outcome == events.MergeDone {
			t.Merged[events.WorkspaceName(p.Ticket, p.Attempt)] = e.Seq
		}
	case events.ChangeAccepted:
		t.Accepted[p.Path] = p.SHA256
	}
	return t
}

// restores returns the files of an approved undo.
func restores(p *events.ToolApproved) []events.FileChange {
	var args struct{ Files []events.FileChange }
	if p.Tool != events.RestoreTool || events.Unmarshal(p.Args, &args) != nil {
		return nil
	}
	return args.Files
}

func (t *changeTable) settled(e *events.Event, p *events.ToolSettled, by changer) {
	if p.Outcome != events.ToolInterrupted {
		delete(t.Open, p.Call)
	}
	wrote := by.Restores
	if p.Tool != events.RestoreTool || p.Outcome != events.ToolDone {
		wrote = nil
		for _, f := range p.Files {
			if f.Written && f.Before != f.SHA256 {
				wrote = append(wrote, events.FileChange{Path: f.Path, Before: f.Before, After: f.SHA256})
			}
		}
	}
	for _, f := range wrote {
		t.Tickets[p.Call] = by.Ticket
		t.Writes = append(t.Writes, placedWrite{f.Path, by.Workspace, Write{Seq: e.Seq, Time: e.Time, Call: p.Call,
			Tool: p.Tool, Ticket: by.Ticket, By: by.By, Before: f.Before, After: f.After}})
	}
	if p.Unseen {
		t.Unseen = append(t.Unseen, UnseenWrite{e.Seq, p.Call, p.Tool, by.Ticket, p.NotUndoable})
	}
}

// arrived returns the writes by the workspaces that contain them now, in the order in which they arrived there.
func (t *changeTable) arrived() []placedWrite {
	out := slices.Clone(t.Writes)
	at := func(w placedWrite) uint64 { return cmp.Or(t.Merged[w.Workspace], w.Seq) }
	slices.SortStableFunc(out, func(a, b placedWrite) int { return cmp.Compare(at(a), at(b)) })
	for i, w := range out {
		if t.Merged[w.Workspace] > 0 {
			out[i].Workspace = events.WorkspaceMerged
		}
	}
	return out
}

func (t *changeTable) changes() Changes {
	out := t.all()
	out.Files = slices.DeleteFunc(out.Files, func(f Change) bool { return f.Before == f.After && f.Unknown == "" })
	return out
}

// filePlace identifies a file in a workspace.
type filePlace struct{ workspace, path string }

// all returns the changes and also the files that have their original content again.
func (t *changeTable) all() Changes {
	at := map[filePlace]int{}
	out := Changes{Files: []Change{}, Unseen: append([]UnseenWrite{}, t.Unseen...)}
	for _, w := range t.arrived() {
		i, known := at[filePlace{w.Workspace, w.Path}]
		if !known {
			i = len(out.Files)
			at[filePlace{w.Workspace, w.Path}] = i
			out.Files = append(out.Files, Change{Path: w.Path, Workspace: w.Workspace, Before: w.Before})
		}
		f := &out.Files[i]
		f.After, f.Writes = w.After, append(f.Writes, w.Write)
	}
	for i := range out.Files {
		f := &out.Files[i]
		accepted, is := t.Accepted[f.Path]
		f.Accepted = is && accepted == f.After
		if f.Workspace == events.WorkspaceMerged && !f.chained() {
			f.After, f.Unknown, f.Accepted = "", unknownMerge, false
		}
	}
	slices.SortStableFunc(out.Files, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Workspace, b.Workspace))
	})
	return out
}

// Changes returns the files that the session's calls changed.
func (s *Set) Changes() Changes { return stateOf(s, changes).changes() }

// AllChanges is like Changes, but includes the files that have their original content again.
func (s *Set) AllChanges() Changes { return stateOf(s, changes).all() }

// ChangesSince returns what calls changed after an earlier position of the same session. earlier is the result of
// AllChanges at that position; the contents before are those there.
func (s *Set) ChangesSince(earlier Changes) Changes {
	was := map[filePlace]Change{}
	now := s.AllChanges()
	for _, f := range earlier.Files {
		was[filePlace{f.Workspace, f.Path}] = f
	}
	out := Changes{Files: []Change{}, Unseen: now.Unseen[len(earlier.Unseen):]}
	for _, f := range now.Files {
		if old, known := was[filePlace{f.Workspace, f.Path}]; known {
			f.Before, f.Writes = old.After, f.Writes[len(old.Writes):]
			f.Unknown = cmp.Or(f.Unknown, old.Unknown)
		}
		if len(f.Writes) > 0 && (f.Before != f.After || f.Unknown != "") {
			out.Files = append(out.Files, f)
		}
	}
	return out
}

// RefusedWrite returns the newest denied call of a completed ticket that would have written files,
// if the ticket changed none.
func (s *Set) RefusedWrite(ticket string) (ToolCall, bool) {
	t, known := s.Ticket(ticket)
	done := s.Changes().Of(ticket)
	if !known || t.Status != events.StatusCompleted || len(done.Files)+len(done.Unseen) > 0 {
		return ToolCall{}, false
	}
	for _, c := range slices.Backward(stateOf(s, toolCalls).Calls) {
		if c.Ticket == ticket && c.State == CallDenied && s.writes(c.Tool) {
			return *c, true
		}
	}
	return ToolCall{}, false
}

// writes reports whether the offered tool of this name writes files.
func (s *Set) writes(tool string) bool {
	return slices.ContainsFunc(s.Settings().Tools, func(o events.ToolOffer) bool {
		return o.Name == tool && slices.Contains(strings.Split(o.Effect, "|"), "writes")
	})
}
