package project

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// maxProjectPath limits the path of a project document, in bytes.
const maxProjectPath = 1024

// SwitchRequest names a project document.
type SwitchRequest struct {
	Path string `json:"path"`
	// Discard drops edits that were not saved.
	Discard bool `json:"discard,omitempty"`
}

// switchAnswer says what was loaded.
type switchAnswer struct {
	Status  string   `json:"status"`
	Path    string   `json:"path"`
	Ignored []string `json:"ignored"` // keys without effect, each with its reason
	Tracked int      `json:"tracked"`
}

func postProjectSwitch(c *core.Call) error { return switchProject(c, false) }

func postProjectLoad(c *core.Call) error { return switchProject(c, true) }

// switchProject records the request before it carries it out, so that a later gateway can finish it.
func switchProject(c *core.Call, again bool) error {
	var want SwitchRequest
	if err := c.Decode(&want, `{"path": "project.toml"}`); err != nil {
		return err
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	if err := SwitchTo(c, session, want, again); err != nil {
		return err
	}
	var out switchAnswer
	if err := c.Read(session, func(s *projections.Set) {
		out = switchAnswer{"ok", s.Project().Path, s.Project().Ignored, len(s.Tracking().Paths)}
	}); err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// SwitchTo switches a session to a project document. If again is set, an empty path means the current document.
func SwitchTo(c *core.Call, session string, want SwitchRequest, again bool) error {
	if _, err := c.Gw.Files(); err != nil {
		return err
	}
	var now projections.Project
	if err := c.Read(session, func(s *projections.Set) { now = s.Project() }); err != nil {
		return err
	}
	if again {
		want.Path = cmp.Or(want.Path, now.Path)
	}
	if err := checkProjectPath(want.Path); err != nil {
		return err
	}
	if now.Changed && !want.Discard {
		return problem.New(http.StatusConflict, "the project has unsaved changes",
			`Save them with POST /api/project/save, or send "discard": true.`)
	}
	e, err := c.PublishAsPerson(session, events.ProjectSwitchRequested{Path: want.Path})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request.Context()), c.Gw.Cfg.Limits.CatchUp)
	defer cancel()
	return finishSwitch(ctx, c.Gw, session, e.ID, want.Path)
}

func checkProjectPath(path string) error {
	if path == "" || len(path) > maxProjectPath || strings.ContainsRune(path, 0) {
		return problem.New(http.StatusBadRequest, "path is missing",
			`Send {"path": "project.toml"}, relative to the project folder, up to 1024 bytes.`)
	}
	return nil
}

// finishSwitch loads the document of a recorded switch and settles the switch with the document or with the error.
func finishSwitch(ctx context.Context, g *core.State, session, request, path string) error {
	loaded, err := load(ctx, g, path)
	if err != nil {
		why := problem.Of(err)
		failed := events.ProjectSwitchFailed{Request: request, Path: path, Error: why.Message + ". " + why.Hint}
		if _, serr := settle(ctx, g, session, failed); serr != nil {
			return serr
		}
		return err
	}
	loaded.Request = request
	e, err := settle(ctx, g, session, loaded)
	if err != nil {
		return err
	}
	view, ok := g.Cfg.Models.Session(session)
	if !ok {
		return nil
	}
	reason := ""
	if err := view.Read(ctx, func(s *projections.Set) {
		switch {
		case s.ProjectRefusal(request) != "":
			reason = "this switch was replaced by a later one"
		case s.ProjectRefusal(e.ID) != "": // another gateway settled this switch first
			reason = s.ProjectSwitch().Error
		}
	}); err != nil {
		return err
	}
	if reason != "" {
		return problem.New(http.StatusConflict, reason,
			"GET /api/project_switch_status shows the active project.")
	}
	return Retrack(ctx, g, session, "")
}

// settle publishes the outcome and waits until it can be read.
func settle(ctx context.Context, g *core.State, session string, p events.Payload) (events.Event, error) {
	e, err := g.Event(g.Own, session, p)
	if err != nil {
		return e, err
	}
	if e.Seq, err = g.Append(ctx, g.Own, e, nil); err != nil {
		return e, err
	}
	return e, g.CaughtUp(ctx, e.Seq)
}

// load reads a document, masks its secrets and checks its shape.
func load(ctx context.Context, g *core.State, path string) (events.ProjectLoaded, error) {
	none := events.ProjectLoaded{}
	files, err := g.Files()
	if err != nil {
		return none, err
	}
	file, err := files.Load(ctx, path)
	if err != nil {
		return none, core.ProblemOf(err)
	}
	masked := g.Mask(file.Document)
	var doc map[string]any
	if json.Unmarshal(masked, &doc) != nil || doc == nil {
		return none, problem.New(http.StatusUnprocessableEntity, "the project document is not a table after its secrets "+
			"are masked", "Remove the secrets from it.")
	}
	if len(masked) > projections.MaxProjectBytes {
		return none, problem.New(http.StatusRequestEntityTooLarge, "the project document is too large",
			"Move its discussions to a history file and import that file with slop history import.")
	}
	if wrong := projections.CheckProject(doc); wrong != "" {
		return none, problem.New(http.StatusUnprocessableEntity, "the project document is not valid: "+
			request.Clip(wrong,
				200), "Correct the file and load it again.")
	}
	return events.ProjectLoaded{Path: file.Path, SHA256: file.SHA256, Size: file.Size, Document: masked,
		Ignored: projections.IgnoredKeys(doc)}, nil
}

// Retrack searches for the project's files again if they changed, unless another gateway does so at the same time.
// preset is the context preset that they come from.
func Retrack(ctx context.Context, g *core.State, session, preset string) error {
	release, err := g.Track(ctx, session)
	if err != nil {
		return err
	}
	defer release()
	view, ok := g.Cfg.Models.Session(session)
	if !ok {
		return nil
	}
	tracking := events.Filter{Project: g.Cfg.Project, Session: session, Type: events.NameOf[events.FilesTracked]()}
	last, err := g.Cfg.Log.Last(ctx, tracking)
	if err != nil {
		return err
	}
	var due bool
	var doc map[string]any
	if err := view.Read(ctx, func(s *projections.Set) { due, doc = s.TrackingDue(), s.Project().Document }); err != nil ||
		!due {
		return err
	}
	tracked, err := Expand(ctx, g, doc, preset)
	if err != nil {
		return err
	}
	e, err := g.Event(g.Person, session, tracked)
	if err != nil {
		return err
	}
	e.Seq, err = g.Append(ctx, g.Person, e, &events.Expect{Filter: tracking, Last: last})
	if errors.Is(err, events.ErrConflict) {
		return nil
	}
	if err != nil {
		return err
	}
	return g.CaughtUp(ctx, e.Seq)
}
