package contributor

import (
	"encoding/json"

	"manualslop/events"
	"manualslop/tiers"
)

// call is one tool call of the current round.
type call struct {
	id, tool   string
	args       json.RawMessage
	malformed  string
	count      tiers.Call
	result     *events.Part
	awaitsHint bool
}

func (c *call) answer(p events.Part) {
	p.Role, p.Call = "tool", c.id
	c.result = &p
}

// hint puts tier 4's reading behind the failed result, where tier 3 sees both.
func (c *call) hint(text string) {
	c.awaitsHint = false
	c.result.Suffix = "\nQA ANALYSIS:\n" + text
}

func (r *run) startCalls(calls []events.ToolCall) {
	r.calls, r.requested, r.phase = nil, 0, callTools
	for _, tc := range calls {
		c := &call{id: tc.ID, tool: tc.Name, args: tc.Args, malformed: tc.Malformed}
		if c.malformed != "" {
			c.answer(events.Part{Text: "ERROR: the arguments of " + tc.Name + " cannot be used: " + c.malformed +
				". Send the call again with one JSON object.", Failed: true})
		}
		r.calls = append(r.calls, c)
	}
	r.afterRequests()
}

// callRequests asks for every well-formed call that was not asked for yet.
// Malformed ones are answered already and never run.
func (r *run) callRequests() []events.Payload {
	var out []events.Payload
	skip := r.requested
	for _, c := range r.calls {
		switch {
		case c.malformed != "":
		case skip > 0:
			skip--
		default:
			out = append(out, events.ToolRequested{Call: c.id, Tool: c.tool, Args: c.args,
				Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round})
		}
	}
	return out
}

// afterRequests moves on once each well-formed call was asked for.
func (r *run) afterRequests() {
	wellFormed := 0
	for _, c := range r.calls {
		if c.malformed == "" {
			wellFormed++
		}
	}
	if r.requested == wellFormed {
		r.phase = awaitCalls
		r.settle()
	}
}

// settled takes the outcome that counts.
func (r *run) settled(c *call, id string, p events.ToolSettled) {
	for _, f := range p.Files {
		r.saw(f)
	}
	if p.Outcome == events.ToolInterrupted {
		return
	}
	c.answer(events.Part{SHA256: p.SHA256, Size: textSize(p), From: id, Failed: p.Outcome != events.ToolDone})
	c.awaitsHint = tiers.WantsHint(p)
	r.settle()
}

// saw notes what the conversation knows of a file: what it read, and of a file
// that it wrote what stood there before, so that the refresh shows the change.
func (r *run) saw(f events.FileState) {
	_, known := r.files[f.Path]
	switch {
	case !f.Written:
		r.files[f.Path] = events.FileState{Path: f.Path, SHA256: f.SHA256, Size: f.Size}
	case !known:
		r.files[f.Path] = events.FileState{Path: f.Path, SHA256: f.Before}
	}
}

func textSize(p events.ToolSettled) int64 {
	if p.TextBlob != nil {
		return p.TextBlob.Size
	}
	return int64(len(p.Text))
}

// settle closes the round's calls when all of them are answered.
func (r *run) settle() {
	for _, c := range r.calls {
		if c.result == nil || c.awaitsHint {
			return
		}
	}
	for _, c := range r.calls {
		r.parts = append(r.parts, *c.result)
	}
	r.calls, r.phase = nil, needRefresh
}

func denial(p events.ToolDenied) events.Part {
	return events.Part{Text: "DENIED: " + p.Reason, Failed: true}
}

func resolution(p events.InterruptResolved) events.Part {
	if p.Resolution == events.InterruptDone {
		return events.Part{Text: "The call was interrupted; " + p.By + " checked and says that it is done."}
	}
	text := "ERROR: the call was interrupted and did not finish"
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return events.Part{Text: text, Failed: true}
}
