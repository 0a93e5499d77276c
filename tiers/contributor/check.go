package contributor

import (
	"encoding/json"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// MaxFailedChecks limits how often a ticket's check may fail after the ticket was reported as
// done.
const MaxFailedChecks = 3

// Values of [events.TicketResolved.Checked].
const (
	checkPassed = "passed"
	checkNotRun = "not run: "
)

// prove runs the check of a ticket that was reported as done. The outcome is kept if the check
// passes or must not run. If the contributor itself ran the check after its last change, that run
// counts.
func (r *run) prove(request string) {
	switch {
	case r.ticket.Proof == "":
	case !slices.Contains(r.tools, shellTool):
		r.outcome.Checked = checkNotRun + "no shell is offered"
	case r.proved:
		r.outcome.Checked = checkPassed
	default:
		args, err := json.Marshal(map[string]string{"script": r.ticket.Proof})
		if err != nil {
			panic("contributor: " + err.Error()) // a string cannot fail
		}
		c := &call{id: events.CallID(request, 0), tool: shellTool, args: args}
		r.checking, r.calls, r.unrequested, r.phase = true, []*call{c}, []*call{c}, callTools
	}
}

// checked folds the outcome of the check.
func (r *run) checked() {
	c := r.calls[0]
	r.checking, r.calls = false, nil
	switch {
	case c.denied != "":
		r.outcome.Checked = checkNotRun + tiers.Clip(c.denied, MaxReason)
	case !c.result.Failed:
		r.outcome.Checked = checkPassed
	default:
		r.checkFailed(c)
		return
	}
	r.outcome.Changes = r.sum()
	r.phase = resolve
}

// checkFailed shows the model the output of the check, or gives up.
func (r *run) checkFailed(c *call) {
	command := "`" + tiers.Line(r.ticket.Proof) + "`"
	if r.failedChecks++; r.failedChecks > MaxFailedChecks {
		r.end(events.ResolvedBlocked, r.outcome.Text, "its check still fails: "+command)
		return
	}
	p := *c.result
	p.Role, p.Call, p.Failed = "user", "", false
	p.Prefix = "You replied DONE:, but the ticket's check fails: " + command + "\n" + p.Prefix
	p.Suffix += "\nGo on with a tool call, or end with BLOCKED:."
	r.talk.Say(r.round, p)
	r.phase = needRefresh
}

// ran records whether a call that ran may have changed files, and whether it was the ticket's own
// check and passed.
func (c *call) ran(check string, p events.ToolSettled) {
	c.wrote = p.Unseen || slices.ContainsFunc(p.Files, func(f events.FileState) bool { return f.Written })
	var args struct {
		Script string `json:"script"`
	}
	c.proves = check != "" && p.Interpreter != "" && p.Outcome == events.ToolDone &&
		json.Unmarshal(c.args, &args) == nil && chars.Trim(args.Script) == check
}

// stillProved reports, at the end of a round, whether the check has passed for the current state
// of the files.
func (r *run) stillProved() bool {
	if slices.ContainsFunc(r.calls, func(c *call) bool { return c.wrote && !c.proves }) {
		return false
	}
	return r.proved || slices.ContainsFunc(r.calls, func(c *call) bool { return c.proves })
}

// checkLine returns the line of the brief that names the ticket's check.
func checkLine(check string) string {
	if check == "" || strings.Contains(check, "\n") {
		return ""
	}
	return "\nCheck: `" + tiers.Line(check) + "`\n"
}
