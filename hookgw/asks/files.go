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

// CheckFiles refuses an answer that starts a ticket with files that do not exist. Approval cannot know
// that, because it does not read files. Files that the ask names are left to the worker.
func CheckFiles(c *core.Call, ask projections.Ask, answer events.AskAnswered) error {
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
	for _, file := range edited.Files {
		if slices.Contains(shown.Files, file) {
			continue
		}
		name, _ := events.SplitView(file)
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
