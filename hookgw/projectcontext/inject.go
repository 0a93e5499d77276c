package projectcontext

import (
	"context"
	"net/http"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/project"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// maxContextPath bounds the path of a file in bytes.
const maxContextPath = 4096

// injectRequest names a file and how it is to be shown.
type injectRequest struct {
	Path string `json:"path"`
	// full (also when empty), skeleton, curated, outline, summary, tree, slice
	Mode       string `json:"mode,omitempty"`
	Discussion string `json:"discussion,omitempty"` // empty: the active one
	StartLine  int    `json:"start_line,omitempty"` // slice: counted from 1
	EndLine    int    `json:"end_line,omitempty"`   // slice: inclusive
}

// viewOf is the view that a mode means.
func viewOf(mode string) (string, bool) {
	switch strings.ToLower(mode) {
	case "", "full", events.ViewRaw:
		return events.ViewRaw, true
	case events.ViewSkeleton, "skel":
		return events.ViewSkeleton, true
	case events.ViewOutline:
		return events.ViewOutline, true
	case events.ViewCurated:
		return events.ViewCurated, true
	case events.ViewSummary, "summarize":
		return events.ViewSummary, true
	case events.ViewTree, events.ViewSlice:
		return strings.ToLower(mode), true
	}
	return "", false
}

// postInject publishes the wish and waits for the worker's view, for a while:
// without a worker the wish stands and the answer says so.
func postInject(c *core.Call) error {
	var want injectRequest
	if err := c.Decode(&want, `{"path": "src/a.py", "mode": "skeleton"}`); err != nil {
		return err
	}
	view, known := viewOf(want.Mode)
	switch {
	case !known:
		return problem.New(http.StatusBadRequest, "there is no such mode",
			"Use full, skeleton, curated, outline, summary, tree or slice.")
	case view != events.ViewSlice && (want.StartLine != 0 || want.EndLine != 0):
		return problem.New(http.StatusBadRequest, "only a slice has lines", `Send "mode": "slice" with them.`)
	}
	if p := contextPath(want.Path); p != nil {
		return p
	}
	var slice *events.FileSlice
	if view == events.ViewSlice {
		s, p := sliceOf("", want.StartLine, want.EndLine)
		if p != nil {
			return p
		}
		slice = &s
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	if want.Discussion != "" {
		if err := discussions.HasDiscussion(c, session, want.Discussion); err != nil {
			return err
		}
	}
	e, err := c.PublishAsPerson(session, events.ContextInjectionRequested{Discussion: want.Discussion,
		Path: want.Path, View: view,
		Slice: slice})
	if err != nil {
		return err
	}
	return injected(c, e)
}

// contextPath refuses what is no path of a file.
func contextPath(path string) *problem.Problem {
	if path == "" || len(path) > maxContextPath || strings.ContainsRune(path, 0) {
		return problem.New(http.StatusBadRequest, "there is no path of a file",
			"Name one relative to the project folder, in up to 4096 bytes.")
	}
	return nil
}

// injected waits for the view that answers e. A wish that was refused gets
// none, unless a worker was so fast that the refusal is its own.
func injected(c *core.Call, e events.Event) error {
	refused := c.Counts(e.Session, e.ID, (*projections.Set).DiscussionRefusal)
	through := c.Gw.Newest(e.Session) // whatever refused it stands up to here
	ctx, cancel := context.WithTimeout(c.Request.Context(), c.Gw.Cfg.Limits.SettleWait)
	defer cancel()
	if refused != nil && through <= e.Seq {
		return refused
	}
	for got, err := range c.Gw.Cfg.Models.Subscribe(ctx, e.Session, e.Seq+1) {
		if err != nil {
			break
		}
		built, ok := got.Payload.(events.ContextBuilt)
		if ok && built.Request == e.ID && len(built.Views) > 0 {
			return injectedView(c, e, got.Seq, built.Views[0])
		}
		if refused != nil && got.Seq >= through {
			break
		}
	}
	if refused != nil {
		return refused
	}
	return c.Reply(http.StatusAccepted, injectAccepted{"accepted", e.ID, "The wish is on record; no worker has answered " +
		"yet. GET /api/discussions/entries shows the entry when it comes."})
}

// injectedView answers with the view that a worker made, once it can be read.
func injectedView(c *core.Call, e events.Event, seq uint64, v events.View) error {
	if err := c.Gw.CaughtUp(c.Request.Context(), seq); err != nil {
		return err
	}
	if p := noView(v); p != nil {
		return p
	}
	if err := c.Counts(e.Session, e.ID, (*projections.Set).DiscussionRefusal); err != nil {
		return err
	}
	return c.Reply(http.StatusOK, wire.InjectAnswer{Status: "ok", Request: e.ID, Path: v.Path, View: v.View,
		SHA256: v.SHA256, Size: v.Size, Blob: v.Blob, Slice: v.Slice})
}

// noView tells why there is no view; nil where there is one.
func noView(v events.View) *problem.Problem {
	if v.Error == "" {
		return nil
	}
	return problem.New(http.StatusUnprocessableEntity, "there is no such view: "+request.Clip(v.Error, 512),
		"Name a file that tools may read, lines that it has, and a mode that its language has.")
}

// injectAccepted is the answer where no worker has answered in time.
type injectAccepted struct {
	Status  string `json:"status"`
	Request string `json:"request"` // id of the wish
	Hint    string `json:"hint"`
}

// nothing is a body without members.
type nothing struct{}

// trackAnswer says which files are tracked now.
type trackAnswer struct {
	Status  string   `json:"status"`
	Tracked int      `json:"tracked"`
	Skipped []string `json:"skipped"` // patterns that stand for nothing, each with its reason
}

// tracked answers with what is tracked now.
func tracked(c *core.Call, session string) error {
	out := trackAnswer{Status: "ok"}
	if err := c.Read(session, func(s *projections.Set) {
		now := s.Tracking()
		out.Tracked, out.Skipped = len(now.Paths), request.List(now.Skipped)
	}); err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

func postRescan(c *core.Call) error {
	if err := c.Decode(&nothing{}, "{}"); err != nil {
		return err
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	var doc map[string]any
	var preset string
	if err := c.Read(session, func(s *projections.Set) {
		doc, preset = s.Project().Document,
			s.Tracking().Selected
	}); err != nil {
		return err
	}
	found, err := project.Expand(c.Request.Context(), c.Gw, doc, preset)
	if err != nil {
		return err
	}
	if _, err := c.PublishChecked(session, found, (*projections.Set).ProjectRefusal); err != nil {
		return err
	}
	return tracked(c, session)
}
