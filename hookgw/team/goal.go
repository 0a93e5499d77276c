package team

import (
	"encoding/json"
	"net/http"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
)

// postGoal records a person's goal and answers with its id.
func postGoal(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	var goal string
	if raw, ok := c.Fields["goal"]; !ok || len(c.Fields) != 1 || json.Unmarshal(raw, &goal) != nil ||
		strings.TrimSpace(goal) == "" {
		return problem.New(http.StatusBadRequest, "the body must have the member goal and no others",
			`Send {"goal": "what you want done"}.`)
	}
	if len(goal) > events.MaxInline {
		return problem.New(http.StatusRequestEntityTooLarge, "the goal is too long",
			"Use at most 64 KiB, and write the rest to a file of the project.")
	}
	goal = string(c.Gw.Cfg.Masker([]byte(goal)))
	e, err := c.PublishAsPerson(session, events.GoalSubmitted{Goal: goal})
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, goalAnswer{"ok", e.ID})
}

// goalBody is the body of POST /api/goal.
type goalBody struct {
	Goal string `json:"goal"`
}

// goalAnswer names the goal.
type goalAnswer struct {
	Status string `json:"status"`
	Goal   string `json:"goal"` // its id
}
