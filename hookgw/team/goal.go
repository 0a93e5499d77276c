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
	var want goalBody
	if p := c.Only("goal", "solo", "plan"); p != nil {
		return p
	}
	if json.Unmarshal(c.Body, &want) != nil || strings.TrimSpace(want.Goal) == "" {
		return problem.New(http.StatusBadRequest, "the body must have the member goal, a string",
			`Send {"goal": "what you want done"}, with "solo": true for one ticket without a plan, or "plan": true to be asked about the plan.`)
	}
	goal := want.Goal
	if len(goal) > events.MaxInline {
		return problem.New(http.StatusRequestEntityTooLarge, "the goal is too long",
			"Use at most 64 KiB, and write the rest to a file of the project.")
	}
	goal = string(c.Gw.Cfg.Masker([]byte(goal)))
	e, err := c.PublishAsPerson(session, events.GoalSubmitted{Goal: goal, Solo: want.Solo,
		Plan: !want.Solo && (want.Plan || c.Gw.Cfg.PlanReview)})
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, goalAnswer{"ok", e.ID})
}

// goalBody is the body of POST /api/goal.
type goalBody struct {
	Goal string `json:"goal"`
	Solo bool   `json:"solo,omitempty"` // one ticket carries it out, without a plan
	Plan bool   `json:"plan,omitempty"` // the tickets of each track wait for a yes
}

// goalAnswer names the goal.
type goalAnswer struct {
	Status string `json:"status"`
	Goal   string `json:"goal"` // its id
}
