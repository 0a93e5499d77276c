package projections

import (
	"slices"
	"time"

	"manualslop/events"
)

// maxBuiltViews is how many views the read model remembers, the newest.
const maxBuiltViews = 512

// BuiltView is a view of a file that a worker made for a prompt or a discussion.
type BuiltView struct {
	Path    string    `json:"path"`
	View    string    `json:"view"`
	SHA256  string    `json:"sha256"` // of the view's bytes
	Size    int64     `json:"size"`
	Blob    bool      `json:"blob"`            // the bytes are at /api/blobs/SHA256
	File    string    `json:"file"`            // digest of the file that it was made from
	Error   string    `json:"error,omitempty"` // why there is none
	At      time.Time `json:"at"`
	Request string    `json:"request"`
}

type builtViews struct {
	Views []BuiltView `json:"views"` // oldest first, one for each path and view
	Left  int         `json:"left"`  // older ones that were forgotten
}

var contextViews = Fold[*builtViews]{
	Name: "context_views", Version: 1,
	Takes: func(p events.Payload) bool { _, built := p.(events.ContextBuilt); return built },
	New:   func() *builtViews { return &builtViews{Views: []BuiltView{}} },
	Apply: func(s *builtViews, e *events.Event) *builtViews {
		if p, ok := e.Payload.(events.ContextBuilt); ok {
			for _, v := range p.Views {
				s.built(e, p.Request, &v)
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

// BuiltViews are the newest views of files, one for each path and kind, oldest
// first, and how many older ones were forgotten.
func (s *Set) BuiltViews() (views []BuiltView, forgotten int) {
	v := stateOf(s, contextViews)
	return v.Views, v.Left
}
