package team

import (
	"encoding/json"
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// killBody is the body of POST /api/mma/workers/kill. Any of these names may identify the worker.
type killBody struct {
	WorkerUID string `json:"worker_uid,omitempty"`
	WorkerID  string `json:"worker_id,omitempty"`
	UID       string `json:"uid,omitempty"`
	Ticket    string `json:"ticket,omitempty"`
	TicketID  string `json:"ticket_id,omitempty"`
}

// killAnswer is the answer of POST /api/mma/workers/kill.
type killAnswer struct {
	Status    string `json:"status"` // ok; accepted if the conductor has not answered yet
	Ticket    string `json:"ticket"`
	WorkerUID string `json:"worker_uid"`
	State     string `json:"state,omitempty"` // current state of the ticket
	Reason    string `json:"reason,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

// postKill ends the running attempt of a worker.
func postKill(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	if p := c.Only("worker_uid", "worker_id", "uid", "ticket", "ticket_id"); p != nil {
		return p
	}
	var body killBody
	if json.Unmarshal(c.Body, &body) != nil {
		return problem.New(http.StatusBadRequest, "a member of the body has the wrong type",
			`Send {"worker_uid": "T-001"}.`)
	}
	ticket, p := request.OneOf("worker_uid and its other names", body.WorkerUID, body.WorkerID, body.UID, body.Ticket,
		body.TicketID)
	if p != nil {
		return p
	}
	if !events.ValidToken(ticket) {
		return problem.New(http.StatusBadRequest, "the body must name a worker that can be killed",
			`Send {"worker_uid": "T-001"}, the ticket of a worker; GET /api/mma/workers lists them.`)
	}
	e, err := c.PublishAsPerson(session, events.KillRequested{Ticket: ticket})
	if err != nil {
		return err
	}
	answered, err := c.Answered(e, (events.TicketBlocked{}).EventType().Name)
	var refused *problem.Problem
	if errors.As(err, &refused) {
		refused.Hint = "Only a running worker can be killed: GET /api/mma/workers shows them. To stop a waiting " +
			"one, block it with POST /api/control (block) or remove it with POST /api/mma/dag/mutate " +
			"(remove_ticket)."
	}
	if err != nil {
		return err
	}
	out := killAnswer{Status: "accepted", Ticket: ticket, WorkerUID: ticket, Hint: request.NotYet}
	if !answered {
		return c.Reply(http.StatusAccepted, out)
	}
	out.Status, out.Hint = "ok", "POST /api/control with the action retry gives the ticket another attempt."
	err = c.Read(session, func(s *projections.Set) {
		if t, ok := s.Ticket(ticket); ok {
			out.State = t.Status
			if t.BlockedReason != nil {
				out.Reason = *t.BlockedReason
			}
		}
	})
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// pipelineAnswer is the answer of POST /api/mma/pipeline/pause and resume.
type pipelineAnswer struct {
	Status  string   `json:"status"`  // ok; accepted if the conductor has not answered yet
	Paused  bool     `json:"paused"`  // current state
	Changed bool     `json:"changed"` // false: it was already in this state
	Running []string `json:"running"` // running tickets, which finish
	Hint    string   `json:"hint,omitempty"`
}

func postPause(c *core.Call) error {
	return pipeline(c, true, events.PauseRequested{}, events.Paused{})
}

func postResume(c *core.Call) error {
	return pipeline(c, false, events.ResumeRequested{}, events.Resumed{})
}

// pipeline pauses or resumes work. If it is already in the wanted state, nothing is published.
func pipeline(c *core.Call, paused bool, want, answer events.Payload) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	if p := c.Only(); p != nil {
		return p
	}
	out, err := pipelineNow(c, session)
	if err != nil {
		return err
	}
	if out.Paused == paused {
		return c.Reply(http.StatusOK, out)
	}
	e, err := c.PublishAsPerson(session, want)
	if err != nil {
		return err
	}
	answered, err := c.Answered(e, answer.EventType().Name)
	if err != nil {
		return err
	}
	if out, err = pipelineNow(c, session); err != nil {
		return err
	}
	if !answered {
		out.Status, out.Hint = "accepted", request.NotYet
		return c.Reply(http.StatusAccepted, out)
	}
	out.Changed = true
	return c.Reply(http.StatusOK, out)
}

func pipelineNow(c *core.Call, session string) (pipelineAnswer, error) {
	out := pipelineAnswer{Status: "ok", Running: []string{}}
	err := c.Read(session, func(s *projections.Set) {
		out.Paused = s.Settings().Paused
		for _, t := range s.Tickets() {
			if t.Status == events.StatusInProgress {
				out.Running = append(out.Running, t.ID)
			}
		}
	})
	return out, err
}
