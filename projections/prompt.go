package projections

import (
	"slices"
	"time"

	"manualslop/events"
)

// MaxPromptMessages limits how many of the newest messages of a prompt are listed; older ones are
// only included in the sums.
const MaxPromptMessages = 512

// maxPromptTools limits how many tool sizes are kept.
const maxPromptTools = 1024

// Prompt describes the session's newest prompt by its sizes in bytes, from
// [events.ModelRequested]. Its text is not kept.
type Prompt struct {
	Request  string `json:"request"` // id of the event; empty before the first
	Stream   string `json:"stream"`
	Tier     int    `json:"tier"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// System, Tools and History add up to the whole prompt.
	System  int64 `json:"system"`
	Tools   int64 `json:"tools"`
	History int64 `json:"history"`
	// Messages are the newest messages of the history, oldest first. Omitted is the number of
	// older ones.
	Messages []PromptMessage `json:"messages"`
	Omitted  int             `json:"omitted"`
	// Rounds is the number of the model's replies in the history.
	Rounds int `json:"rounds"`
}

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	Role    string `json:"role"` // user, assistant or tool
	Bytes   int64  `json:"bytes"`
	ToolUse bool   `json:"tool_use"` // it calls tools or answers a call
}

type promptState struct {
	Offered map[string]int64            `json:"offered"` // bytes of a tool's description, by name
	Prompt  Prompt                      `json:"prompt"`
	Open    events.Prompts[promptPiece] `json:"open"` // prompts of conversations that may continue
}

// promptPiece is the information kept about one part of a prompt.
type promptPiece struct {
	Role  string `json:"role"`
	Bytes int64  `json:"bytes"`
}

func pieceOf(p *events.Part) promptPiece {
	return promptPiece{p.Role, int64(len(p.Text)+len(p.Prefix)+len(p.Suffix)) + max(0, p.Size)}
}

var prompt = Fold[*promptState]{
	Name: "prompt", Version: 5,
	Takes: func(p events.Payload) bool {
		switch p.(type) {
		case events.ToolsOffered, events.ModelRequested:
			return true
		}
		return events.EndsPrompts(p)
	},
	New: func() *promptState {
		return &promptState{Offered: map[string]int64{}, Prompt: Prompt{Messages: []PromptMessage{}},
			Open: events.Prompts[promptPiece]{}}
	},
	Apply: (*promptState).apply,
	View:  func(s *promptState) any { return s.Prompt },
}

func (s *promptState) apply(e *events.Event) *promptState {
	switch p := e.Payload.(type) {
	case events.ToolsOffered:
		s.Offered = map[string]int64{}
		for _, t := range p.Tools[:min(len(p.Tools), maxPromptTools)] {
			s.Offered[t.Name] = int64(len(t.Name) + len(t.Description) + len(t.Schema))
		}
	case events.ModelRequested:
		if pieces, err := s.Open.Take(e.ID, &p, pieceOf); err == nil {
			s.Prompt = s.measure(e.ID, &p, pieces)
		}
	}
	s.Open.Forget(e)
	return s
}

// measure computes the sizes of a prompt with these parts.
func (s *promptState) measure(id string, p *events.ModelRequested, pieces []promptPiece) Prompt {
	out := Prompt{Request: id, Stream: p.StreamID, Tier: p.Tier, Provider: p.Provider, Model: p.Model,
		Messages: s.Prompt.Messages[:0]}
	for _, name := range p.Tools {
		out.Tools += s.Offered[name]
	}
	for i, piece := range pieces {
		if piece.Role == "system" {
			out.System += piece.Bytes
			continue
		}
		out.History += piece.Bytes
		m := PromptMessage{Role: piece.Role, Bytes: piece.Bytes}
		switch piece.Role {
		case "assistant":
			out.Rounds++
			m.ToolUse = i+1 < len(pieces) && pieces[i+1].Role == "tool"
		case "tool":
			m.ToolUse = true
		}
		out.Messages = append(out.Messages, m)
	}
	if over := len(out.Messages) - MaxPromptMessages; over > 0 {
		out.Omitted, out.Messages = over, append([]PromptMessage{}, out.Messages[over:]...)
	}
	return out
}

// Prompt returns the newest prompt of the session. The result is shared and
// must not be modified.
func (s *Set) Prompt() Prompt { return stateOf(s, prompt).Prompt }

// maxBuiltViews limits how many of the newest views the read model keeps.
const maxBuiltViews = 512

// BuiltView is a view of a file that a worker made for a prompt or a discussion.
type BuiltView struct {
	Path    string    `json:"path"`
	View    string    `json:"view"`
	SHA256  string    `json:"sha256"` // of the view's bytes
	Size    int64     `json:"size"`
	Blob    bool      `json:"blob"`            // the bytes are available at /api/blobs/SHA256
	File    string    `json:"file"`            // digest of the file from which it was made
	Error   string    `json:"error,omitempty"` // why there is no view
	At      time.Time `json:"at"`
	Request string    `json:"request"`
}

type builtViews struct {
	Views []BuiltView `json:"views"` // oldest first, one for each path and kind
	Left  int         `json:"left"`  // number of older views that were dropped
}

var contextViews = Fold[*builtViews]{
	Name: "context_views", Version: 1,
	Takes: func(p events.Payload) bool { _, built := p.(events.ContextBuilt); return built },
	New:   func() *builtViews { return &builtViews{Views: []BuiltView{}} },
	Apply: func(s *builtViews, e *events.Event) *builtViews {
		if p, ok := e.Payload.(events.ContextBuilt); ok {
			for _, v := range p.Views {
				if v.View != events.ViewState {
					s.built(e, p.Request, &v)
				}
			}
		}
		return s
	},
}

func (s *builtViews) built(e *events.Event, request string, v *events.View) {
	b := BuiltView{Path: v.Path, View: v.View, SHA256: v.SHA256, Size: v.Size, Blob: v.Blob, Error: v.Error, At: e.Time,
		Request: request}
	if v.File != nil {
		b.File = v.File.SHA256
	}
	i := slices.IndexFunc(s.Views, func(old BuiltView) bool { return old.Path == v.Path && old.View == v.View })
	if i < 0 && len(s.Views) >= maxBuiltViews {
		i = 0
		s.Left++
	}
	if i >= 0 {
		s.Views = slices.Delete(slices.Clone(s.Views), i, i+1)
	}
	s.Views = append(s.Views, b)
}

// BuiltViews returns the newest views of files, one for each path and kind, oldest first, and the
// number of older ones that were dropped.
func (s *Set) BuiltViews() (views []BuiltView, forgotten int) {
	v := stateOf(s, contextViews)
	return v.Views, v.Left
}
