package headless

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/hookgw/asks"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// pendingAction is a script or a call that waits for approval.
type pendingAction struct {
	ActionID  string          `json:"action_id"` // what confirm takes
	Tool      string          `json:"tool"`
	Script    *string         `json:"script"`   // of a shell; null for other tools
	BaseDir   string          `json:"base_dir"` // where it would run
	Args      json.RawMessage `json:"args"`
	Effect    string          `json:"effect"`
	Ticket    string          `json:"ticket"`
	Attempt   int             `json:"attempt"`
	Round     int             `json:"round"`
	Title     string          `json:"title"`
	Note      string          `json:"note,omitempty"`
	Diff      string          `json:"diff,omitempty"`
	DiffBlob  *events.BlobRef `json:"diff_blob,omitempty"`
	RaisedAt  time.Time       `json:"raised_at"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty"`
}

// pendingActions is the answer of GET /api/v1/pending_actions.
type pendingActions struct {
	Actions []pendingAction `json:"pending_actions"` // oldest first
}

// getPendingActions lists the open asks of the tool gate.
func getPendingActions() func(*core.Call) error {
	shown := request.View("pending_actions", func(s *projections.Set) (any, error) {
		out := pendingActions{Actions: []pendingAction{}}
		base := s.Settings().Workspace
		for _, a := range s.OpenAsks() {
			if a.Gate == events.GateTool {
				out.Actions = append(out.Actions, actionOf(a, base))
			}
		}
		return out, nil
	}, "asks", "settings")
	return func(c *core.Call) error { return c.Show(shown) }
}

func actionOf(a projections.Ask, base string) pendingAction {
	out := pendingAction{
		ActionID: a.AskRaised.Ask, Tool: a.Tool, BaseDir: base, Args: a.Args, Effect: a.Effect, Ticket: a.Ticket,
		Attempt: a.Attempt, Round: a.Round,
		Title: a.Title, Note: a.Note, Diff: a.Diff, DiffBlob: a.DiffBlob, RaisedAt: a.RaisedAt, ExpiresAt: a.ExpiresAt,
	}
	if len(out.Args) == 0 {
		out.Args = json.RawMessage("{}")
	}
	if script, ok := scriptOf(a.Args); ok {
		out.Script = &script
	}
	return out
}

// scriptOf returns the script in a shell's arguments.
func scriptOf(args json.RawMessage) (string, bool) {
	members, _ := request.Object(args)
	var script string
	raw, ok := members["script"]
	return script, ok && json.Unmarshal(raw, &script) == nil
}

// confirmBody is the body of POST /api/v1/confirm/{action_id}.
type confirmBody struct {
	Approved bool            `json:"approved"`
	Script   *string         `json:"script,omitempty"` // run this instead
	Args     json.RawMessage `json:"args,omitempty"`   // the complete arguments instead
	Reason   string          `json:"reason,omitempty"`
}

// confirmAnswer is the answer of POST /api/v1/confirm/{action_id}.
type confirmAnswer struct {
	Status   string `json:"status"` // ok; recorded if approval has not settled it yet
	ActionID string `json:"action_id"`
	Decision string `json:"decision"` // yes, no
	Edited   bool   `json:"edited"`   // what was confirmed differs from what was asked
	Ticket   string `json:"ticket"`
	Hint     string `json:"hint,omitempty"`
}

// postConfirm answers an ask of the tool gate and never any other ask.
func postConfirm(c *core.Call) error {
	session, err := c.SomeSession()
	if err != nil {
		return err
	}
	id := c.Vars["action_id"]
	if len(id) > events.MaxIDLength {
		return problem.New(http.StatusNotFound, "no such action", "GET /api/v1/pending_actions lists them.")
	}
	if !bytes.Equal(c.Gw.Cfg.Masker(c.Body), c.Body) { // masked, it would run something else
		return problem.New(http.StatusUnprocessableEntity, "the answer contains a secret, which must not be recorded",
			"Answer without the secret; say where it is stored instead.")
	}
	ask, err := asks.AskOf(c, session, id, events.GateTool)
	if err != nil {
		return err
	}
	answer, p := confirmation(c, ask)
	if p != nil {
		return p
	}
	e, err := c.Gw.AskEvent(c.Gw.Person, session, answer)
	if err != nil {
		return err
	}
	v, err := asks.SettleAnswer(c, e, answer)
	if err != nil {
		return err
	}
	if p := v.Problem(); p != nil {
		return p
	}
	out := confirmAnswer{Status: "ok", ActionID: id, Decision: answer.Decision, Edited: len(answer.Args) > 0,
		Ticket: ask.Ticket}
	if answer.Reason == asks.NotUnderstood {
		out.Hint = `It was treated as a denial; send {"approved": true} or {"approved": false}.`
	}
	if v.Settled == nil {
		out.Status, out.Hint = "recorded", "The answer is recorded; approval has not settled it yet. See GET "+
			"/api/v1/pending_actions."
		return c.Reply(http.StatusAccepted, out)
	}
	return c.Reply(http.StatusOK, out)
}

// confirmation returns how the body answers an ask. A duplicate name in an object, or an unknown member, makes it a
// rejection.
func confirmation(c *core.Call, ask projections.Ask) (events.AskAnswered, *problem.Problem) {
	no := events.AskAnswered{Ask: ask.AskRaised.Ask, Decision: events.No, Reason: asks.NotUnderstood}
	if _, err := events.Canonical(c.Body); err != nil {
		return no, nil
	}
	script, edited := c.Fields["script"]
	rest := map[string]json.RawMessage{}
	// order-independent: copied under the same names
	for name, value := range c.Fields {
		if name != "script" {
			rest[name] = value
		}
	}
	plain, err := json.Marshal(rest)
	if err != nil {
		return no, nil
	}
	answer := asks.Meaning(ask, plain)
	if !edited || string(script) == "null" || answer.Decision == events.No {
		return answer, nil
	}
	if len(answer.Args) > 0 {
		return no, problem.New(http.StatusBadRequest, "script and args must not both be set",
			"Nothing was answered; send only one of them.")
	}
	args, p := withScript(ask.Args, script)
	answer.Args = args
	return answer, p
}

// withScript returns a shell's arguments with another script.
func withScript(args, script json.RawMessage) (json.RawMessage, *problem.Problem) {
	var text string
	if _, shell := scriptOf(args); !shell || json.Unmarshal(script, &text) != nil {
		return nil, problem.New(http.StatusBadRequest, "this call has no script, or the new one is not a string",
			"Nothing was answered; edit the call with args.")
	}
	members, _ := request.Object(args)
	members["script"] = script
	out, err := json.Marshal(members)
	if err != nil {
		return nil, problem.Of(err)
	}
	return out, nil
}

// toolList is the answer of GET /api/v1/tools.
type toolList struct {
	Tools []events.ToolOffer `json:"tools"` // by name
}

func getTools() func(*core.Call) error {
	shown := request.View("v1 tools", func(s *projections.Set) (any, error) { return toolList{s.Settings().Tools}, nil },
		"settings")
	return func(c *core.Call) error { return c.Show(shown) }
}
