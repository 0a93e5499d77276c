package asks

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// CheckFiles rejects an answer that starts a ticket with files that do not exist. Approval cannot check this, because
// it does not read files. Files that the ask itself names are left to the worker, and so are all files of a session
// whose tickets do not work in the user's folder.
func CheckFiles(c *core.Call, session string, ask projections.Ask, answer events.AskAnswered) error {
	if ask.Gate != events.GateSpawn || len(answer.Args) == 0 || c.Gw.Cfg.ProjectFiles == nil {
		return nil
	}
	type start struct {
		Files []string `json:"files"`
	}
	var shown, edited start
	if json.Unmarshal(ask.Args, &shown) != nil || json.Unmarshal(answer.Args, &edited) != nil {
		return nil // approval says what is wrong
	}
	isolation := ""
	err := c.Read(session, func(s *projections.Set) { isolation = s.Settings().Isolation })
	if err != nil || isolation == events.IsolationWorktree {
		return err
	}
	named := func(name string) func(string) bool {
		return func(file string) bool { is, _ := events.SplitView(file); return is == name }
	}
	for _, file := range edited.Files {
		name, _ := events.SplitView(file)
		if slices.ContainsFunc(shown.Files, named(name)) {
			continue
		}
		var p *core.FileProblem
		switch err := c.Gw.Cfg.ProjectFiles.Check(name); {
		case errors.As(err, &p):
			return problem.New(http.StatusUnprocessableEntity, "the answer was rejected: files: "+p.Message,
				"The ask is still open; "+p.Hint).WithCause(err)
		case err != nil:
			return err
		}
	}
	return nil
}
