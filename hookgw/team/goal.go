package team

import (
	"encoding/json"
	"net/http"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
)

// postGoal records a user's goal and answers with its id.
func postGoal(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	var want goalBody
	if p := c.Only("goal", "solo", "plan", "track", "discussion"); p != nil {
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
	if want.Solo && want.Track {
		return problem.New(http.StatusBadRequest, "solo and track must not both be set", `Send one of them: "solo" is one `+
			`ticket without a plan, "track" one track that tier 2 plans.`)
	}
	e, err := discussions.Hand(c, session, events.GoalSubmitted{Goal: goal, Solo: want.Solo, Track: want.Track,
		Plan: !want.Solo && (want.Plan || c.Gw.Cfg.PlanReview)}, "", want.Discussion)
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, goalAnswer{"ok", e.ID})
}

// goalBody is the body of POST /api/goal.
type goalBody struct {
	Goal string `json:"goal"`
	Solo bool   `json:"solo,omitempty"` // one ticket carries it out, without a plan
	Plan bool   `json:"plan,omitempty"` // the tickets of each track wait for approval
	// Track makes the goal one track, which tier 2 cuts into tickets without tier 1.
	Track bool `json:"track,omitempty"`
	// Discussion is shown, as it reads now, to those who plan the goal or carry it out.
	Discussion string `json:"discussion,omitempty"`
}

// goalAnswer names the goal.
type goalAnswer struct {
	Status string `json:"status"`
	Goal   string `json:"goal"` // its id
}
