package project

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// SaveRequest says where to save the project document.
type SaveRequest struct {
	// Path is the file; empty: the one that was loaded.
	Path string `json:"path,omitempty"`
	// Force overwrites a file that was changed meanwhile.
	Force bool `json:"force,omitempty"`
}

// saveAnswer says what was written.
type saveAnswer struct {
	Status string `json:"status"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// postProjectSave writes the document to a file.
func postProjectSave(c *core.Call) error {
	var want SaveRequest
	if err := c.Decode(&want, `{"path": "project.toml", "force": false}`); err != nil {
		return err
	}
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	saved, err := SaveProject(c, session, want)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, saveAnswer{"ok", saved.Path, saved.SHA256, saved.Size})
}

// SaveProject writes the document of a session to a file. Any file but its own must not exist yet, and becomes the
// document's own file.
func SaveProject(c *core.Call, session string, want SaveRequest) (events.ProjectSaved, error) {
	none := events.ProjectSaved{}
	files, err := c.Gw.Files()
	if err != nil {
		return none, err
	}
	var now projections.Project
	if err := c.Read(session, func(s *projections.Set) { now = s.Project() }); err != nil {
		return none, err
	}
	path, was := cmp.Or(want.Path, now.Path), ""
	if path == now.Path {
		was = now.SHA256
	}
	if err := checkProjectPath(path); err != nil {
		return none, err
	}
	document, err := json.Marshal(now.Document)
	if err != nil {
		return none, err
	}
	if !want.Force {
		if err := holdsSecrets(c.Request.Context(), c.Gw, files, path); err != nil {
			return none, err
		}
	}
	file, err := files.Save(context.WithoutCancel(c.Request.Context()), path, document, was, want.Force)
	if err != nil {
		return none, core.ProblemOf(err)
	}
	c.Wrote = true
	saved := events.ProjectSaved{Path: file.Path, SHA256: file.SHA256, Size: file.Size, Through: now.Through}
	_, err = settle(c.Request.Context(), c.Gw, session, saved)
	return saved, err
}

// holdsSecrets returns an error if the file contains a secret that is masked in the record, because saving would
// replace it with the mask.
func holdsSecrets(ctx context.Context, g *core.State, files core.ProjectFiles, path string) error {
	file, err := files.Load(ctx, path)
	if err != nil || bytes.Equal(g.Mask(file.Document), file.Document) {
		return nil
	}
	return problem.New(http.StatusConflict, "the file contains a secret, which saving would replace with a mask",
		`Remove the secret from the file, or send "force": true.`)
}
