// Package team directs the workers: goals, spawns, pauses, kills, changes of the
// graph, undo and upgrades.
package team

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// MaxReason limits the reason of a block, in bytes.
const MaxReason = 4 << 10

// control is the body of POST /api/control.
type control struct {
	Action string `json:"action"`
	Ticket string `json:"ticket,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Note is for the model that works on the ticket, with note, retry and unblock.
	Note string `json:"note,omitempty"`
	// Discussion is shown to the next attempt as it reads now, with retry and unblock of a blocked ticket.
	Discussion string `json:"discussion,omitempty"`
	On         *bool  `json:"on,omitempty"`
	// Budget is session or ticket; Limit is its new limit, with raise_budget.
	Budget string `json:"budget,omitempty"`
	Limit  int64  `json:"limit_micro_dollars,omitempty"`
	Call   string `json:"call,omitempty"`
}

// controlAction is one kind of request to the conductor.
type controlAction struct {
	name   string
	ticket bool   // it needs a ticket
	takes  string // other members, separated by spaces
	// reaction is the last event by which the conductor answers; "" if there is no answer, because the request itself
	// is what counts.
	reaction string
	payload  func(control) events.Payload
}

func controlActions() []controlAction {
	return []controlAction{
		{"pause", false, "", events.NameOf[events.Paused](), func(control) events.Payload { return events.PauseRequested{} }},
		{"resume", false, "", events.NameOf[events.Resumed](),
			func(control) events.Payload { return events.ResumeRequested{} }},
		{"kill", true, "", events.NameOf[events.TicketBlocked](),
			func(c control) events.Payload { return events.KillRequested{Ticket: c.Ticket} }},
		{"retry", true, "note discussion", events.NameOf[events.TicketRetried](), func(c control) events.Payload {
			return events.RetryRequested{Ticket: c.Ticket, Note: c.Note}
		}},
		{"block", true, "reason", events.NameOf[events.TicketBlocked](), func(c control) events.Payload {
			return events.BlockRequested{Ticket: c.Ticket, Reason: c.Reason}
		}},
		{"unblock", true, "note discussion", events.NameOf[events.TicketUnblocked](), func(c control) events.Payload {
			return events.UnblockRequested{Ticket: c.Ticket, Note: c.Note}
		}},
		{"note", true, "note", events.NameOf[events.TicketNoted](), func(c control) events.Payload {
			return events.NoteRequested{Ticket: c.Ticket, Note: c.Note}
		}},
		{"step_mode", false, "on", "", func(c control) events.Payload { return events.StepModeSet{On: *c.On} }},
		{"raise_budget", false, "budget ticket limit_micro_dollars", "", func(c control) events.Payload {
			return events.BudgetRaiseRequested{Budget: c.Budget, Ticket: c.Ticket, LimitMicroDollars: c.Limit}
		}},
		{"patch", false, "call", "", func(c control) events.Payload { return events.PatchRequested{Call: c.Call} }},
	}
}

// postControl publishes the user's request and answers with the conductor's decision.
func postControl(c *core.Call) error {
	session, err := c.OpenSession()
	if err != nil {
		return err
	}
	action, want, err := readControl(c)
	if err != nil {
		return err
	}
	if want.Discussion != "" {
		if err := discussions.Held(c, session, want.Ticket); err != nil {
			return err
		}
	}
	e, err := discussions.Hand(c, session, action.payload(want), want.Ticket, want.Discussion)
	if err != nil || action.reaction == "" {
		return c.Done(err)
	}
	last := action.reaction
	if action.name == "kill" && events.IsTurn(want.Ticket) {
		last = events.NameOf[events.TicketKilled]()
	}
	return reaction(c, e, last)
}

// readControl parses the body: the action and its arguments.
func readControl(c *core.Call) (controlAction, control, error) {
	var want control
	none := controlAction{}
	if json.Unmarshal(c.Body, &want) != nil {
		return none, want, problem.New(http.StatusBadRequest, "a member of the body has the wrong type",
			`Send {"action": "kill", "ticket": "T-001"}; on must be true or false, the others strings.`)
	}
	all := controlActions()
	at := slices.IndexFunc(all, func(a controlAction) bool { return a.name == want.Action })
	if at < 0 {
		return none, want, problem.New(http.StatusBadRequest, "no such action", "Use "+actionNames(all)+".")
	}
	if p := all[at].check(c.Fields, want); p != nil {
		return none, want, p
	}
	want.Reason = string(c.Gw.Cfg.Masker([]byte(want.Reason)))
	want.Note = string(c.Gw.Cfg.Masker([]byte(want.Note)))
	return all[at], want, nil
}

func actionNames(all []controlAction) string {
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.name
	}
	return strings.Join(names, ", ")
}

// check rejects members that the action does not take, and requires those that it needs.
func (a controlAction) check(fields map[string]json.RawMessage, want control) *problem.Problem {
	for name := range fields {
		known := name == "action" || slices.Contains(strings.Fields(a.takes), name) || a.ticket && name == "ticket"
		if !known {
			return problem.New(http.StatusBadRequest, "the action "+a.name+" does not accept all the members that "+
				"were sent",
				"Leave out "+request.Clip(strings.ToValidUTF8(name, "?"), 64)+".")
		}
	}
	switch {
	case a.ticket && (want.Ticket == "" || len(want.Ticket) > events.MaxIDLength):
		return problem.New(http.StatusBadRequest, "the action "+a.name+" needs a ticket",
			"Send its id, a string of 1 to 128 bytes; GET /api/gui/mma_status lists the tickets.")
	case a.takes == "call" && (want.Call == "" || len(want.Call) > events.MaxIDLength):
		return problem.New(http.StatusBadRequest, "the action "+a.name+" needs a call",
			"Send the id of a shell call that failed, a string of 1 to 128 bytes.")
	case a.takes == "on" && want.On == nil:
		return problem.New(http.StatusBadRequest, "the action "+a.name+" needs on", "Send true or false.")
	case a.name == "raise_budget" && !want.raises():
		return problem.New(http.StatusBadRequest, "the action raise_budget needs a budget and a limit",
			`Send {"action": "raise_budget", "budget": "session", "limit_micro_dollars": 7500000}, or the budget ticket with the ticket's id. A limit that is not higher than the current one changes nothing.`)
	case len(want.Note) > events.MaxNote:
		return problem.New(http.StatusRequestEntityTooLarge, "the note is too long", "Use at most 4096 bytes.")
	case a.name == "note" && strings.TrimSpace(want.Note) == "":
		return problem.New(http.StatusBadRequest, "the action note needs a note", "Send the text for the model.")
	case len(want.Reason) > MaxReason:
		return problem.New(http.StatusRequestEntityTooLarge, "the reason is too long", "Use at most 4096 bytes.")
	}
	return nil
}

// raises reports whether the body names a budget and a limit for it.
func (c control) raises() bool {
	sound := c.Budget == events.BudgetSession && c.Ticket == "" || c.Budget == events.BudgetTicket && c.Ticket != "" &&
		len(c.Ticket) <= events.MaxIDLength
	return sound && c.Limit > 0 && c.Limit <= events.MaxBudget
}

// reaction answers the client once the conductor has decided on e. If the conductor does not decide in time, the
// request stays pending and the answer to the client says so.
func reaction(c *core.Call, e events.Event, typ string) error {
	answered, err := c.Answered(e, typ)
	if err != nil || answered {
		return c.Done(err)
	}
	return c.Reply(http.StatusAccepted, request.HintedAnswer{Status: "accepted", Hint: request.NotYet})
}
