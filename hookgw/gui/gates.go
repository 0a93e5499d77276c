package gui

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/hookgw/asks"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// gateButtons returns the buttons that approve and reject. Each answers only the asks for which one flag of
// mma_status is set: in Manual Slop the popups looked alike, and people answered the wrong one.
func gateButtons() []guiButton {
	const takes = `an ask's id, or {"request_id"?, "args"?, "reason"?}; without an id the oldest open ask of the gate`
	button := func(id, flag string, yes bool, what string, aliases ...string) guiButton {
		return guiButton{ID: id, Aliases: aliases, UserData: takes, closed: true,
			do: answerGate(projections.GatesOf(flag), yes), Doc: what}
	}
	return []guiButton{
		button("btn_approve_tool", projections.PendingTool, true,
			"Approves a tool call, or answers yes to a question of POST "+
				"/api/ask.", "btn_approve_script", "btn_approve_tool_call"),
		button("btn_reject_tool", projections.PendingTool, false,
			"Refuses a tool call, or answers no to a question of POST "+
				"/api/ask.", "btn_reject_script", "btn_reject_tool_call",
			"btn_deny_tool"),
		button("btn_approve_mma_step", projections.PendingStep, true, "Lets a round of a ticket continue.",
			"btn_approve_step"),
		button("btn_reject_mma_step", projections.PendingStep, false, "Ends a ticket's attempt before its next round.",
			"btn_reject_step", "btn_deny_step"),
		button("btn_approve_spawn", projections.PendingSpawn, true, "Lets an attempt at a ticket start.",
			"btn_approve_mma_spawn"),
		button("btn_reject_spawn", projections.PendingSpawn, false, "Refuses the start of an attempt at a ticket.",
			"btn_reject_mma_spawn", "btn_deny_spawn"),
	}
}

// gateClick is the content of a click at a gate, apart from the decision itself.
type gateClick struct {
	ask    string
	args   json.RawMessage
	reason string
}

// answerGate answers an ask of one of the gates and never any other ask.
func answerGate(gates []string, yes bool) func(*guiRun) error {
	return func(r *guiRun) error {
		click, err := r.gateClick()
		if err != nil {
			return err
		}
		ask, err := asks.AskOf(r.c, r.queued.Session, click.ask, gates...)
		if err != nil {
			return err
		}
		return r.answer(ask, yes, click)
	}
}

// posted is the result of a click that answers POST /api/ask.
type posted struct {
	Approved bool            `json:"approved"`
	Args     json.RawMessage `json:"args,omitempty"`
	Reason   string          `json:"reason,omitempty"`
}

func (r *guiRun) answer(ask projections.Ask, yes bool, click gateClick) error {
	answer := events.AskAnswered{Ask: ask.AskRaised.Ask, Decision: events.No, Reason: click.reason}
	if yes {
		answer.Decision, answer.Args = events.Yes, click.args
	}
	if ask.Gate == events.GateHTTP {
		response, err := json.Marshal(posted{Approved: yes, Args: click.args, Reason: click.reason})
		if err != nil {
			return err
		}
		answer = asks.Meaning(ask, response)
	}
	if err := asks.CheckFiles(r.c, r.queued.Session, ask, answer); err != nil {
		return err
	}
	e, err := r.event(r.c.Gw.Person, answer)
	if err == nil {
		err = r.c.Gw.AnswerFits(e)
	}
	if err != nil {
		return err
	}
	v, err := asks.SettleAnswer(r.c, e, answer)
	if err != nil {
		return err
	}
	if p := v.Problem(); p != nil {
		return p
	}
	return nil
}

// gateClick parses which ask a click is about, from its user_data or from members of the task itself.
func (r *guiRun) gateClick() (gateClick, error) {
	wrong := problem.New(http.StatusBadRequest, "user_data must name an ask",
		`Send an ask's id, or {"request_id": "…", "args": {…}, "reason": "…"}, or leave it out.`)
	if r.masked {
		return gateClick{}, problem.New(http.StatusUnprocessableEntity,
			"the answer contains a secret, which must not be recorded", "Answer without the secret; say where "+
				"it is stored instead.")
	}
	out, data := gateClick{}, text(r.task.UserData)
	switch {
	case !r.plain():
		return gateClick{}, wrong
	case len(data) == 0:
	case data[0] == '"':
		if json.Unmarshal(data, &out.ask) != nil || out.ask == "" {
			return gateClick{}, wrong
		}
	default:
		members, ok := request.Object(json.RawMessage(data))
		if !ok || !out.read(members) {
			return gateClick{}, wrong
		}
	}
	named := map[string]json.RawMessage{}
	for _, name := range askNames() {
		if raw := text(r.task.Members[name]); len(raw) > 0 {
			named[name] = raw
		}
	}
	if !out.read(named) {
		return gateClick{}, wrong
	}
	return out, nil
}

// plain reports whether a click has no duplicate and no ignored members: an ignored member could be an edit that the
// user relies on.
func (r *guiRun) plain() bool {
	if _, err := events.Canonical(r.c.Body); err != nil { // a name is repeated
		return false
	}
	known := append(askNames(), "action", "type", "item", "button", "tag", "name", "callback", "user_data", "kwargs",
		"args")
	// order-independent: any one of them is unknown
	for name := range r.task.Members {
		if !slices.Contains(known, name) {
			return false
		}
	}
	var args []json.RawMessage
	var kwargs map[string]json.RawMessage
	if raw := text(r.task.Members["args"]); len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		return false
	}
	if raw := text(r.task.Members["kwargs"]); len(raw) > 0 && json.Unmarshal(raw, &kwargs) != nil {
		return false
	}
	said := len(args) + len(kwargs)
	if len(text(r.task.Members["user_data"])) > 0 {
		said++
	}
	return said == 0 || said == 1 && (len(kwargs) == 0 || kwargs["user_data"] != nil)
}

// askNames returns the names under which a click names its ask.
func askNames() []string { return []string{"request_id", "ask", "ask_id"} }

// read reads members by exact name. It returns false if one is unknown or has the wrong type, because a partial
// answer does not count.
func (g *gateClick) read(members map[string]json.RawMessage) bool {
	for name, raw := range members {
		var ok bool
		switch name {
		case "request_id", "ask", "ask_id":
			var id string
			ok = json.Unmarshal(raw, &id) == nil && id != "" && (g.ask == "" || g.ask == id)
			g.ask = id
		case "reason":
			ok = strings.HasPrefix(string(raw), `"`) && json.Unmarshal(raw, &g.reason) == nil
		case "args":
			g.args, ok = text(raw), true
		}
		if !ok {
			return false
		}
	}
	return true
}
