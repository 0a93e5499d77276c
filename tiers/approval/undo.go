package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// write is one file that a call changed; unseen ones stand for changes that
// nobody recorded.
type write struct {
	call, tool, ticket string
	place              string // workspace that it was made in
	seq                uint64 // of the outcome
	path               string
	before, after      string // digests; empty: absent
	unseen             bool
}

// wrote notes what an outcome that counts says of changed files.
func (s *State) wrote(e *events.Event, c *call, p events.ToolSettled) {
	w := write{call: p.Call, tool: p.Tool, ticket: c.request.Ticket, place: c.request.Workspace, seq: e.Seq}
	for _, f := range p.Files {
		if f.Written && f.Before != f.SHA256 {
			w.path, w.before, w.after = f.Path, f.Before, f.SHA256
			s.writes = append(s.writes, w)
		}
	}
	if p.Unseen {
		w.path, w.unseen = "", true
		s.writes = append(s.writes, w)
	}
}

// undo lets the files be written as they were, or says why not. The request is
// a person's own word, so nobody is asked; a file that changed since is noticed
// by the tool, which then writes nothing.
func (s *State) undo(e *events.Event, p events.UndoRequested) {
	err := p.Check()
	var args json.RawMessage
	var place string
	if err == nil {
		args, place, err = s.restoration(p)
	}
	if err != nil {
		s.owe(events.UndoRefused{Request: e.ID, Reason: tiers.Clip(err.Error(), MaxReason)})
		return
	}
	digest, err := events.CanonicalDigest(args)
	if err != nil {
		panic("approval: " + err.Error()) // marshalled a moment ago
	}
	c := &call{tool: newTool(events.ToolOffer{Name: events.RestoreTool, Effect: effectWrites}), args: args, digest: digest,
		request: events.ToolRequested{Call: events.UndoCall(e.ID), Tool: events.RestoreTool, Args: args, Workspace: place}}
	s.calls[c.request.Call] = c
	s.approve(c, grounds{by: e.Actor}, 1)
}

// restoration are the arguments of the call that undoes what was asked for, and
// the workspace in which it runs.
func (s *State) restoration(p events.UndoRequested) (json.RawMessage, string, error) {
	place, err := s.placeOfWrites(p)
	if err != nil {
		return nil, "", err
	}
	files, err := s.backwards(p, place)
	if err != nil {
		return nil, "", err
	}
	files = slices.DeleteFunc(files, func(f events.FileChange) bool { return f.Before == f.After })
	if len(files) == 0 {
		return nil, "", fmt.Errorf("%s changed no file", p)
	}
	slices.SortFunc(files, func(a, b events.FileChange) int { return strings.Compare(a.Path, b.Path) })
	args, err := json.Marshal(struct {
		Files []events.FileChange `json:"files"`
	}{files})
	if err != nil {
		panic("approval: " + err.Error()) // strings
	}
	if len(args) > MaxUndo {
		return nil, "", fmt.Errorf("%s changed %d files, too many for one undo; undo single calls or tickets", p, len(files))
	}
	return args, place, nil
}

// placeOfWrites is the one workspace in which everything to undo was written.
func (s *State) placeOfWrites(p events.UndoRequested) (place string, err error) {
	known := false
	for _, w := range s.writes {
		switch {
		case !undoes(p, w):
		case known && w.place != place:
			return "", fmt.Errorf("%s wrote in more than one workspace; undo its calls one by one, or use git on the branches", p)
		default:
			place, known = w.place, true
		}
	}
	return place, nil
}

// backwards are the files of a workspace to write: from how they must be now to
// how they were.
func (s *State) backwards(p events.UndoRequested, place string) ([]events.FileChange, error) {
	var files []events.FileChange
	at := map[string]int{}
	for _, w := range s.writes {
		if w.place != place {
			continue
		}
		i, known := at[w.path]
		switch wanted := undoes(p, w); {
		case wanted && w.unseen:
			return nil, fmt.Errorf("nobody knows which files %s %s changed; look at them yourself, or undo other calls one by one", w.tool, w.call)
		case wanted && !known:
			at[w.path] = len(files)
			files = append(files, events.FileChange{Path: w.path, Before: w.after, After: w.before})
		case wanted && files[i].Before != w.before:
			return nil, fmt.Errorf("%s was changed by somebody else before call %s; undo that call alone first", w.path, w.call)
		case wanted:
			files[i].Before = w.after
		case known && !w.unseen:
			return nil, fmt.Errorf("%s was changed later by %s %s; undo that first", w.path, w.tool, w.call)
		}
	}
	if len(at) == 0 && p.Call != "" && s.calls[p.Call] != nil {
		return nil, errors.New("call " + p.Call + " is still under way")
	}
	return files, nil
}

// undoes tells whether a write is one of those to undo.
func undoes(p events.UndoRequested, w write) bool {
	switch {
	case p.Call != "":
		return w.call == p.Call
	case p.Ticket != "":
		return w.ticket == p.Ticket
	}
	return w.seq > p.ToSeq
}
