package projectcontext

import (
	"cmp"
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

// maxContextPath limits the path of a file, in bytes.
const maxContextPath = 4096

// injectRequest names a file and how to show it.
type injectRequest struct {
	Path string `json:"path"`
	// full, skeleton, curated, outline, summary, tree, slice, image; if empty: image
	// for PNG, JPEG and WebP files, full for all others
	Mode       string `json:"mode,omitempty"`
	Discussion string `json:"discussion,omitempty"` // empty: the active one
	StartLine  int    `json:"start_line,omitempty"` // slice: counted from 1
	EndLine    int    `json:"end_line,omitempty"`   // slice: inclusive
}

// viewOf returns the view for a mode.
func viewOf(mode string) (string, bool) {
	switch strings.ToLower(mode) {
	case "full", events.ViewRaw:
		return events.ViewRaw, true
	case events.ViewSkeleton, "skel":
		return events.ViewSkeleton, true
	case events.ViewOutline:
		return events.ViewOutline, true
	case events.ViewCurated:
		return events.ViewCurated, true
	case events.ViewSummary, "summarize":
		return events.ViewSummary, true
	case events.ViewTree, events.ViewSlice, events.ViewImage:
		return strings.ToLower(mode), true
	}
	return "", false
}

// postInject publishes the request and waits for a limited time for the worker's view. Without a worker the request
// remains pending, and the answer says so.
func postInject(c *core.Call) error {
	var want injectRequest
	if err := c.Decode(&want, `{"path": "src/a.py", "mode": "skeleton"}`); err != nil {
		return err
	}
	view, known := viewOf(cmp.Or(want.Mode, events.DefaultView(want.Path)))
	switch {
	case !known:
		return problem.New(http.StatusBadRequest, "unknown mode",
			"Use full, skeleton, curated, outline, summary, tree, slice or image.")
	case view != events.ViewSlice && (want.StartLine != 0 || want.EndLine != 0):
		return problem.New(http.StatusBadRequest, "start_line and end_line are only valid for a slice", `Send "mode": "slice" with them.`)
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

// contextPath checks that path can be the path of a file.
func contextPath(path string) *problem.Problem {
	if path == "" || len(path) > maxContextPath || strings.ContainsRune(path, 0) {
		return problem.New(http.StatusBadRequest, "path must be a file's path of 1 to 4096 bytes",
			"Give a path relative to the project folder.")
	}
	return nil
}

// injected waits for the view that answers e. A rejected request gets no view, unless a worker was so fast that the
// rejection refers to its own view.
func injected(c *core.Call, e events.Event) error {
	refused := c.Counts(e.Session, e.ID, (*projections.Set).DiscussionRefusal)
	through := c.Gw.Newest(e.Session) // any refusal is up to here
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
	return c.Reply(http.StatusAccepted, injectAccepted{"accepted", e.ID, "The request is recorded; no worker " +
		"has answered " +
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

// noView returns the reason why no view exists, or nil if one exists.
func noView(v events.View) *problem.Problem {
	if v.Error == "" {
		return nil
	}
	return problem.New(http.StatusUnprocessableEntity, "the view cannot be created: "+request.Clip(v.Error, 512),
		"Give a file that tools may read, lines that exist in it, and a mode that its language supports.")
}

// injectAccepted is the answer if no worker has answered in time.
type injectAccepted struct {
	Status  string `json:"status"`
	Request string `json:"request"` // id of the request
	Hint    string `json:"hint"`
}

// nothing is a body without members.
type nothing struct{}

// trackAnswer lists the files that are tracked now.
type trackAnswer struct {
	Status  string   `json:"status"`
	Tracked int      `json:"tracked"`
	Skipped []string `json:"skipped"` // patterns that match nothing, each with its reason
}

// tracked answers with the files that are tracked now.
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
