package team

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/asks"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// WorkerBody describes a worker.
type WorkerBody struct {
	Prompt string `json:"prompt"`
	// a list of paths whose contents the worker begins with, or a text
	Context    json.RawMessage `json:"context,omitempty"`
	TargetFile string          `json:"target_file,omitempty"`
	Model      string          `json:"model,omitempty"`    // instead of the tier's
	Persona    string          `json:"persona,omitempty"`  // of the session's roster, instead of the tier's
	Priority   string          `json:"priority,omitempty"` // high, medium, low
	StepMode   bool            `json:"step_mode,omitempty"`
	RequestID  string          `json:"request_id,omitempty"` // the same id and body join the existing worker
}

// spawnBody is the body of POST /api/mma/workers/spawn.
type spawnBody struct {
	WorkerBody
	// Discussion is shown to the worker as it reads now.
	Discussion string `json:"discussion,omitempty"`
}

// WorkerMembers returns the names of the members of WorkerBody.
func WorkerMembers() []string {
	return []string{"prompt", "context", "target_file", "model", "persona", "priority", "step_mode", "request_id"}
}

// postSpawn adds a worker.
func postSpawn(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	if p := c.Only(append(WorkerMembers(), "discussion")...); p != nil {
		return p
	}
	want, err := ReadWorker(c)
	if err != nil {
		return err
	}
	var body spawnBody
	if json.Unmarshal(c.Body, &body) != nil {
		return problem.New(http.StatusBadRequest, "discussion must be a string", `Send "discussion": "main".`)
	}
	s, err := Spawn(c, session, want, body.Discussion)
	if err != nil {
		return err
	}
	out := wire.SpawnAnswer{Status: "ok", Ticket: s.Ticket, WorkerUID: s.Ticket, Track: s.Track,
		StreamID: events.WorkerStream(s.Ticket), RequestID: s.RequestID, Joined: s.joined}
	if s.Accepted {
		return c.Reply(http.StatusOK, out)
	}
	out.Status, out.Hint = "accepted", request.NotYet
	return c.Reply(http.StatusAccepted, out)
}

// ReadWorker parses the body into the worker to add.
func ReadWorker(c *core.Call) (events.WorkerSpawnRequested, error) {
	var none, want events.WorkerSpawnRequested
	var body WorkerBody
	if json.Unmarshal(c.Gw.Mask(c.Body), &body) != nil {
		return none, problem.New(http.StatusBadRequest, "a member of the body has the wrong type",
			`Send {"prompt": "what to do", "context": ["a.go"]}; step_mode must be true or false, the others strings.`)
	}
	if raw, named := c.Fields["request_id"]; named {
		id, err := asks.RequestID(raw)
		if err != nil {
			return none, err
		}
		body.RequestID = id
	}
	want = events.WorkerSpawnRequested{
		Prompt: body.Prompt, TargetFile: body.TargetFile, Model: body.Model, Persona: body.Persona, Priority: body.Priority,
		StepMode: body.StepMode, RequestID: body.RequestID,
	}
	if err := addContext(&want, body.Context); err != nil {
		return none, err
	}
	return want, usable(want.Check(), `Send {"prompt": "what to do"} and, optionally, `+
		strings.Join(WorkerMembers()[1:], ", ")+".")
}

// addContext adds a list of paths, or a string that is appended to the prompt.
func addContext(want *events.WorkerSpawnRequested, raw json.RawMessage) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		want.Prompt += "\n\n# Context\n\n" + text
		return nil
	}
	if json.Unmarshal(raw, &want.Context) != nil {
		return problem.New(http.StatusBadRequest, "context must be a list of paths or a string",
			`Send "context": ["a.go", "b.go"].`)
	}
	return nil
}

// usable converts an error in the request to a problem that says what the path takes.
func usable(err error, takes string) error {
	var large events.LimitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return problem.New(http.StatusRequestEntityTooLarge, err.Error(),
			"Send less; write large content to a file of the project and send its path.")
	}
	return problem.New(http.StatusBadRequest, err.Error(), "Nothing was changed. "+takes)
}

// spawnedWorker is a worker that a request added or found.
type spawnedWorker struct {
	projections.Spawned
	joined bool
}

// Spawn adds a worker, with a discussion unless its name is empty, and waits for the conductor's answer. It returns
// the existing worker if one has the same request id.
func Spawn(c *core.Call, session string, want events.WorkerSpawnRequested, discussion string) (spawnedWorker,
	error) {
	if s, ok, err := spawnedAs(c, session, want); ok || err != nil {
		return joined(c, session, s, err)
	}
	e, err := discussions.Hand(c, session, want, "", discussion)
	if err != nil {
		return spawnedWorker{}, err
	}
	if _, err = c.Answered(e, (events.TicketsAdded{}).EventType().Name); err != nil {
		// Another request with this id may have been a moment earlier.
		if s, ok, jerr := spawnedAs(c, session, want); ok || jerr != nil {
			return joined(c, session, s, jerr)
		}
		return spawnedWorker{}, err
	}
	var s projections.Spawned
	err = c.Read(session, func(set *projections.Set) { s, _ = set.Spawned(events.WorkerTicket(e.ID)) })
	return spawnedWorker{s, false}, err
}

// RefusedWorker returns the error for a worker that the conductor rejected.
func RefusedWorker(outcome, reason string) error {
	if outcome != projections.WorkerRefused {
		return nil
	}
	return problem.New(http.StatusConflict, reason, "Nothing was changed; GET /api/mma/workers shows the "+
		"running workers.")
}

// joined returns a worker that another request asked for, once the conductor has answered that request or the time
// limit is reached.
func joined(c *core.Call, session string, s projections.Spawned, err error) (spawnedWorker, error) {
	if err != nil || s.Accepted {
		return spawnedWorker{s, true}, err
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), c.Gw.Cfg.Limits.SettleWait)
	defer cancel()
	err = c.Gw.Cfg.Models.Await(ctx, session, func(set *projections.Set) bool {
		if now, ok := set.Spawned(s.Ticket); ok {
			s = now
		}
		return s.Accepted || s.Outcome == projections.WorkerRefused
	})
	if err != nil && ctx.Err() == nil {
		return spawnedWorker{}, err
	}
	return spawnedWorker{s, true}, RefusedWorker(s.Outcome, s.Reason)
}

// spawnedAs finds the worker with the same request id, once the read models have seen the whole log. It fails if that
// worker has another task.
func spawnedAs(c *core.Call, session string, want events.WorkerSpawnRequested) (s projections.Spawned, ok bool,
	err error) {
	if want.RequestID == "" {
		return s, false, nil
	}
	last, err := c.Gw.Cfg.Log.Last(c.Request.Context(), events.Filter{Project: c.Gw.Cfg.Project, Session: session})
	if err != nil {
		return s, false, err
	}
	if err := c.Gw.CaughtUp(c.Request.Context(), last); err != nil {
		return s, false, err
	}
	err = c.Read(session, func(set *projections.Set) { s, ok = set.SpawnedAs(want.RequestID) })
	if err == nil && ok && s.SHA256 != want.Digest() {
		err = problem.New(http.StatusConflict, "this request_id belongs to another worker",
			"Use a fresh request_id, or the same body to join the worker.").WithTicket(s.Ticket)
	}
	return s, ok, err
}
