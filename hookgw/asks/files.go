package asks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// WrongFile rejects an answer that starts a ticket with files that do not exist; the error wraps a *core.FileProblem.
// Approval cannot check this, because it does not read files. Files that the ask itself names are left to the worker,
// and so are all files of a session whose tickets do not work in the user's folder.
func WrongFile(files core.ProjectFiles, isolation string, ask events.AskRaised, answer events.AskAnswered) error {
	if ask.Gate != events.GateSpawn || len(answer.Args) == 0 || isolation == events.IsolationWorktree {
		return nil
	}
	type start struct {
		Files []string `json:"files"`
	}
	var shown, edited start
	if json.Unmarshal(ask.Args, &shown) != nil || json.Unmarshal(answer.Args, &edited) != nil {
		return nil // approval says what is wrong
	}
	named := func(name string) func(string) bool {
		return func(file string) bool { is, _ := events.SplitView(file); return is == name }
	}
	for _, file := range edited.Files {
		name, _ := events.SplitView(file)
		if slices.ContainsFunc(shown.Files, named(name)) {
			continue
		}
		if err := files.Check(name); err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	return nil
}

// CheckFiles is WrongFile for an answer that a client of the gateway sends.
func CheckFiles(c *core.Call, session string, ask projections.Ask, answer events.AskAnswered) error {
	if c.Gw.Cfg.ProjectFiles == nil {
		return nil
	}
	isolation := ""
	if err := c.Read(session, func(s *projections.Set) { isolation = s.Settings().Isolation }); err != nil {
		return err
	}
	err := WrongFile(c.Gw.Cfg.ProjectFiles, isolation, ask.AskRaised, answer)
	var p *core.FileProblem
	if errors.As(err, &p) {
		return problem.New(http.StatusUnprocessableEntity, "the answer was rejected: "+err.Error(),
			"The ask is still open; "+p.Hint).WithCause(err)
	}
	return err
}
