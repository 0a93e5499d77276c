package contributor

import (
	"cmp"
	"encoding/json"
	"fmt"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// call is one tool call of the current round.
type call struct {
	id, tool   string
	args       json.RawMessage
	malformed  string // why it never runs
	count      tiers.Call
	result     *events.Part // nil until known; malformed calls have it at once
	awaitsHint bool
	denied     string       // why it did not run
	fails      *events.Part // why it would fail, as its newest preview found; nil if it would not
	changed    string       // what the model is told if a user changed the arguments
	wrote      bool         // it may have changed files
	proves     bool         // it was the ticket's check and passed
}

func newCall(c events.ToolCall) *call {
	return &call{id: c.ID, tool: c.Name, args: c.Args, malformed: c.Malformed}
}

// refuse sets the result of a call that cannot run. If the reply was cut off, its last call is the
// incomplete one.
func (c *call) refuse(p events.ModelReplied, last bool) {
	name := tiers.Line(tiers.Clip(c.tool, MaxReason))
	text := "ERROR: the arguments of " + name + " cannot be used: " + tiers.Clip(c.malformed, MaxReason) +
		". Send the call again with one JSON object."
	if last && p.Finish == "max_tokens" {
		at := ""
		if p.Usage.Output > 0 {
			at = fmt.Sprintf(" at %d tokens", p.Usage.Output)
		}
		text = "ERROR: your reply ended" + at + " inside this call of " + name +
			", so it did not run. Write less in one call: make a large change in several."
	}
	c.answer(events.Part{Text: text, Failed: true})
}

func (c *call) answer(p events.Part) {
	p.Role, p.Call = "tool", c.id
	c.result = &p
}

// change takes the arguments that a user gave the call, about which its result says so.
func (c *call) change(by string, args json.RawMessage) {
	c.changed = tiers.Line(by) + " changed the arguments of this call to " +
		fence.Neutralise(tiers.Line(tiers.Clip(string(args), MaxReason))) + ".\n"
}

// hint appends tier 4's explanation to the failed result, so that tier 3 sees both.
func (c *call) hint(text string) {
	c.awaitsHint = false
	c.result.Suffix = analysis(text)
}

// analysis returns the text that is appended to a result.
func analysis(text string) string { return "\n" + fence.Analysis + "\n" + fence.Neutralise(text) }

// startCalls starts handling the calls of a reply.
func (r *run) startCalls(p events.ModelReplied) {
	r.calls, r.unrequested, r.stepped, r.phase = nil, nil, false, callTools
	for i, tc := range p.Calls {
		c := newCall(tc)
		r.calls = append(r.calls, c)
		if c.malformed != "" {
			c.refuse(p, i == len(p.Calls)-1)
			continue
		}
		r.unrequested = append(r.unrequested, c)
	}
	r.awaitCalls()
}

// callRequests requests all well-formed calls that were not requested yet. If the last call of the
// reply only reads, it also checks whether a refresh is needed.
func (r *run) callRequests(s *State) []events.Payload {
	out := make([]events.Payload, len(r.unrequested))
	for i, c := range r.unrequested {
		p := events.ToolRequested{Call: c.id, Tool: c.tool, Args: c.args, Ticket: r.ticket.ID, Attempt: r.attempt,
			Round: r.round, Workspace: r.place, Check: r.checking}
		if i == len(out)-1 {
			p.Known = r.compared(s, c)
		}
		out[i] = p
	}
	return out
}

// callRequested records that the next call was requested.
func (r *run) callRequested() {
	r.unrequested = r.unrequested[1:]
	r.awaitCalls()
}

// awaitCalls starts waiting for results once every well-formed call was requested.
func (r *run) awaitCalls() {
	if len(r.unrequested) == 0 {
		r.phase = awaitCalls
		r.settle()
	}
}

// settle adds the results of a round to the conversation, in the order of the calls, once all of
// them are known.
func (r *run) settle() {
	for _, c := range r.calls {
		if c.result == nil || c.awaitsHint {
			return
		}
	}
	if r.checking {
		r.checked()
		return
	}
	r.proved = r.stillProved()
	for _, c := range r.calls {
		r.talk.Result(r.round, c.tool, *c.result)
	}
	r.calls, r.phase = nil, needRefresh
}

// outcome returns the result of a call as the model reads it; flaky is an earlier failed call of
// the same command, if nothing changed in between.
func outcome(id string, p events.ToolSettled, origin, flaky string) events.Part {
	size := int64(len(p.Text))
	if p.TextBlob != nil {
		size = p.TextBlob.Size
	}
	part := events.Part{SHA256: p.SHA256, Size: size, From: id, Failed: p.Outcome != events.ToolDone,
		Origin: cmp.Or(origin, fence.Program), Fence: fence.Nonce(id, 0)}
	if flaky != "" {
		part.Suffix = analysis(tiers.FlakyWords(flaky))
	}
	return part
}

// previewed stores why a call would fail. The words may come from files.
func (c *call) previewed(id string, p events.PreviewBuilt) {
	c.fails = nil
	if p.Error != "" {
		c.fails = &events.Part{Prefix: "ERROR: the call would fail, so nothing ran; correct it and send it again.\n",
			Text: tiers.Clip(p.Error, MaxReason), Origin: fence.Program, Fence: fence.Nonce(id, 0), Failed: true}
	}
}

// denial returns the result of a denied call as the model reads it.
func (c *call) denial(p events.ToolDenied) events.Part {
	switch {
	case p.Invalid && c.fails != nil:
		return *c.fails
	case p.Invalid:
		return events.Part{Text: "ERROR: " + tiers.Clip(p.Reason, MaxReason) + ". Nothing ran; send the call again, mended.",
			Failed: true}
	}
	return events.Part{Text: "DENIED: " + tiers.Clip(p.Reason, MaxReason), Failed: true}
}

// resolution returns the result of an interrupted call as the model reads it.
func resolution(p events.InterruptResolved) events.Part {
	if p.Resolution == events.InterruptDone {
		return events.Part{Text: "The call was interrupted; " + p.By + " checked and says that it is done."}
	}
	text := "ERROR: the call was interrupted and did not finish"
	if p.Reason != "" {
		text += ": " + tiers.Clip(p.Reason, MaxReason)
	}
	return events.Part{Text: text, Failed: true}
}
