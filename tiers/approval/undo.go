package approval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// write is one file that a call changed. An unseen write stands for changes that were not
// recorded.
type write struct {
	call, tool, ticket string
	place              string // workspace in which the file was changed
	seq                uint64 // of the outcome
	path               string
	before, after      string // digests; empty if the file did not exist
	beforeMode, mode   uint32 // permission bits; 0 if not known
	unseen             bool
	unkept             []string // of an unseen write: links and files that are known to have changed
}

// wrote records the files that a call changed according to its outcome.
func (s *State) wrote(e *events.Event, c *call, p events.ToolSettled) {
	w := write{call: p.Call, tool: p.Tool, ticket: cmp.Or(c.request.Ticket, c.undone), place: c.request.Workspace,
		seq: e.Seq}
	for _, f := range c.changed(p) {
		if f.Written && f.Before != f.SHA256 {
			w.path, w.before, w.after, w.beforeMode, w.mode = f.Path, f.Before, f.SHA256, f.BeforeMode, f.Mode
			if !s.repeats(w) {
				s.writes = append(s.writes, w)
			}
		}
	}
	if p.Unseen {
		w.path, w.unseen, w.unkept = "", true, p.NotUndoable
		s.writes = append(s.writes, w)
	}
}

// repeats reports whether a write of an undo only repeats what a concurrent undo had already
// restored.
func (s *State) repeats(w write) bool {
	if w.tool != events.RestoreTool {
		return false
	}
	place, _ := s.lies(w)
	for _, last := range slices.Backward(s.writesAt(place)) {
		if last.path == w.path {
			return last.tool == w.tool && last.before == w.before && last.after == w.after
		}
	}
	return false
}

// changed returns the files of an outcome. The outcome of an undo that was interrupted and
// repeated lists only the files of its last run; but all files of the undo have the requested
// content, so all are returned.
func (c *call) changed(p events.ToolSettled) []events.FileState {
	if c.request.Tool != events.RestoreTool || p.Outcome != events.ToolDone {
		return p.Files
	}
	var args restoreArgs
	read(c.args, &args)
	var out []events.FileState
	for _, f := range args.Files {
		out = append(out, events.FileState{Path: f.Path, SHA256: f.After, Before: f.Before, Written: true, Mode: f.AfterMode,
			BeforeMode: f.BeforeMode})
	}
	return out
}

// restoreArgs are the arguments of an undo.
type restoreArgs struct {
	Files []restored `json:"files"`
}

// restored describes a file's current and earlier state: digests, empty if it does not exist, and
// permission bits, 0 if unknown.
type restored struct {
	Path       string `json:"path"`
	Before     string `json:"before,omitempty"`
	After      string `json:"after,omitempty"`
	BeforeMode uint32 `json:"before_mode,omitempty"`
	AfterMode  uint32 `json:"after_mode,omitempty"`
}

// errUndoNamesNotOne is the reason for which decision version 1 refuses an invalid request, in its recorded words.
var errUndoNamesNotOne = errors.New(
	"the settings cannot be changed so: name one of a call, a ticket and a sequence to undo")

// undo approves restoring the files, or records why it cannot be done. The request is a user's
// own decision, so no ask is raised. If a file has changed since, the tool detects that and writes
// nothing.
func (s *State) undo(e *events.Event, p events.UndoRequested) {
	err := p.Check()
	if err != nil && p.Path == "" && s.basis.Decision(events.ActorApproval) < 2 {
		err = errUndoNamesNotOne
	}
	var args json.RawMessage
	var place string
	if err == nil {
		args, place, err = s.restoration(p)
	}
	if err != nil {
		// our words: package events and this package write this text.
		s.owe(events.UndoRefused{Request: e.ID, Reason: tiers.Clip(err.Error(), MaxReason)})
		return
	}
	digest, err := events.CanonicalDigest(args)
	if err != nil {
		panic("approval: " + err.Error()) // it was just marshalled
	}
	c := &call{tool: newTool(events.ToolOffer{Name: events.RestoreTool, Effect: effectWrites}), args: args, digest: digest,
		request: events.ToolRequested{Call: events.UndoCall(e.ID), Tool: events.RestoreTool, Args: args, Workspace: place},
		undone:  s.ticketOf(p)}
	s.calls[c.request.Call] = c
	s.approve(c, grounds{by: e.Actor}, 1)
}

// restoration returns the workspace of the requested undo and the arguments of the call that
// carries it out.
func (s *State) restoration(p events.UndoRequested) (json.RawMessage, string, error) {
	place, err := s.placeOfWrites(p)
	if err != nil {
		return nil, "", err
	}
	files, err := s.backwards(p, place)
	if err != nil {
		return nil, "", err
	}
	changed := len(files) > 0
	files = slices.DeleteFunc(files, func(f restored) bool { return f.Before == f.After })
	switch {
	case !changed:
		return nil, "", fmt.Errorf("%s changed no file", p)
	case len(files) == 0:
		return nil, "", fmt.Errorf("the files hold already what they held before %s", p)
	}
	slices.SortFunc(files, func(a, b restored) int { return strings.Compare(a.Path, b.Path) })
	args, err := json.Marshal(restoreArgs{files})
	if err != nil {
		panic("approval: " + err.Error()) // strings cannot fail
	}
	if len(args) > MaxUndo {
		return nil, "", fmt.Errorf("%s changed %d files, too many for one undo; undo single calls or tickets", p, len(files))
	}
	return args, place, nil
}

// lies returns the place that contains a write, and the sequence of the event that put it there. The
// place is its own workspace or, once that is merged, the workspace of merged work.
func (s *State) lies(w write) (place string, since uint64) {
	if seq, merged := s.landed[w.place]; merged {
		return events.WorkspaceMerged, seq
	}
	return w.place, w.seq
}

// writesAt returns the writes in a workspace, in the order in which they arrived there.
func (s *State) writesAt(place string) []write {
	var out []write
	for _, w := range s.writes {
		if at, _ := s.lies(w); at == place {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b write) int {
		_, i := s.lies(a)
		_, j := s.lies(b)
		return cmp.Compare(i, j)
	})
	return out
}

// backwards returns the files of a workspace to restore, with their expected current state and
// their earlier one.
func (s *State) backwards(p events.UndoRequested, place string) ([]restored, error) {
	var files []restored
	at := map[string]int{}
	later := map[string]write{} // by file: the last write that is not undone
	for _, w := range s.writesAt(place) {
		i, known := at[w.path]
		switch wanted := s.undoes(p, w); {
		case wanted && w.unseen:
			return nil, w.lost()
		case wanted && !known:
			at[w.path] = len(files)
			files = append(files, restored{w.path, w.after, w.before, w.mode, w.beforeMode})
		case wanted && files[i].Before != w.before:
			return nil, fmt.Errorf("%s was changed by somebody else before call %s; undo that call alone first", w.path, w.call)
		case wanted:
			files[i].Before, files[i].BeforeMode = w.after, w.mode
			delete(later, w.path)
		case known && !w.unseen:
			later[w.path] = w
		}
	}
	if len(at) == 0 && p.Call != "" && s.calls[p.Call] != nil {
		return nil, errors.New("call " + p.Call + " is still under way")
	}
	for _, f := range files {
		if w, is := later[f.Path]; is && w.after != f.Before { // otherwise the later changes were undone
			return nil, tooLate(f, w)
		}
	}
	return files, nil
}

// lost returns the error for an unseen write, which cannot be undone.
func (w write) lost() error {
	if len(w.unkept) == 0 {
		return fmt.Errorf("nobody knows which files %s %s changed; look at them yourself, or undo other calls one by one",
			w.tool, w.call)
	}
	return fmt.Errorf("%s %s changed what no undo gives back (links, and files that are too large or cannot be read): "+
		"%s; look at it yourself, or undo other calls one by one",
		w.tool, w.call, line(strings.Join(w.unkept, ", ")))
}

// tooLate returns the error for a file whose later change prevents an undo.
func tooLate(f restored, w write) error {
	if w.tool == events.RestoreTool && w.after == f.After {
		return fmt.Errorf("%s was given back already; undo %s to have it again", f.Path, w.call)
	}
	return fmt.Errorf("%s was changed later by %s %s; undo that first", f.Path, w.tool, w.call)
}

// ticketOf returns the ticket whose work an undo affects; empty if it affects several.
func (s *State) ticketOf(p events.UndoRequested) string {
	ticket, known := "", false
	for _, w := range s.writes {
		switch {
		case !s.undoes(p, w):
		case known && w.ticket != ticket:
			return ""
		default:
			ticket, known = w.ticket, true
		}
	}
	return ticket
}

// undoes reports whether a write must be undone. If a ticket was retried in a new workspace,
// writes in its earlier ones are undone only if the call is named.
func (s *State) undoes(p events.UndoRequested, w write) bool {
	switch {
	case p.Path != "" && w.path != p.Path:
		return false
	case p.Call != "":
		return w.call == p.Call
	case s.stale[w.place]:
		return false
	case p.Ticket != "":
		return w.ticket == p.Ticket
	case s.basis.Decision(events.ActorApproval) < 2:
		return w.seq > p.ToSeq
	}
	_, since := s.lies(w)
	return since > p.ToSeq
}
