package approval

import (
	"encoding/json"
	"fmt"
	"slices"

	"manualslop/events"
	"manualslop/events/chars"
)

// spawnPayload is what an ask shows about the start of a ticket, and what a user may change.
type spawnPayload struct {
	Prompt *string  `json:"prompt,omitempty"`
	Files  []string `json:"files,omitzero"`
}

// spawnsFiles reports whether starts are asked about with their files.
func (s *State) spawnsFiles() bool { return s.basis.Decision(events.ActorConductor) >= 3 }

// spawnArgs returns the payload of an ask about a start.
func (s *State) spawnArgs(p events.SpawnRequested) json.RawMessage {
	shown := spawnPayload{Prompt: &p.Prompt}
	if s.spawnsFiles() {
		shown.Files = append([]string{}, p.Files...)
	}
	return encoded(shown)
}

// badSpawn returns why an edited start is invalid, or "".
func (s *State) badSpawn(a *ask, args json.RawMessage) string {
	what, wrong := "the prompt", `args must be {"prompt": "…"}`
	if s.spawnsFiles() {
		what, wrong = "the edited start", `args must be {"prompt": "…", "files": ["PATH", "PATH:VIEW"]}, or one of the two`
	}
	var shown, v spawnPayload
	read(a.args, &shown)
	most := max(events.MaxWorkerContext, len(shown.Files))
	if s.spawnsFiles() {
		read(args, &v)
	} else {
		var only struct {
			Prompt *string `json:"prompt"`
		}
		read(args, &only)
		v.Prompt = only.Prompt
	}
	switch {
	case len(args) > MaxPrompt:
		return tooLong(what, len(args), MaxPrompt)
	case v.Prompt == nil && v.Files == nil, v.Prompt != nil && chars.Trim(*v.Prompt) == "":
		return wrong
	case len(v.Files) > most:
		return fmt.Sprintf("files has %d paths; at most %d are allowed", len(v.Files), most)
	}
	for _, file := range v.Files {
		if slices.Contains(shown.Files, file) {
			continue // the plan names it, and the worker judges it
		}
		if why := s.badFile(file); why != "" {
			return why
		}
	}
	return ""
}

// badFile returns why a path that a user wrote for a start is invalid, or "". Whether the file exists
// is not known here.
func (s *State) badFile(file string) string {
	name, _ := events.SplitView(file)
	_, inside := folder(s.workspace).relative(name)
	switch {
	case chars.Trim(name) == "":
		return "a path in files is empty"
	case len(name) > events.MaxPathLength:
		return tooLong("a path in files", len(name), events.MaxPathLength)
	case !inside || isAbsolute(slashed(name)):
		return "files: " + chars.Quote(name) + " is not a path inside of the project's folder"
	}
	return ""
}

// stepPayload is what an ask shows about a step, and what a user may change.
type stepPayload struct {
	Messages []events.StepMessage `json:"messages,omitempty"`
	Calls    []events.StepCall    `json:"calls,omitzero"` // in an edit: empty drops all calls, null none
}

// stepArgs returns the payload of an ask about a step; none if the session's steps show nothing.
func stepArgs(p events.StepRequested) json.RawMessage {
	if len(p.Messages)+len(p.Calls) == 0 {
		return nil
	}
	return encoded(stepPayload{p.Messages, p.Calls})
}

// badStep returns why an edited step is invalid, or "".
func (s *State) badStep(a *ask, args json.RawMessage) string {
	if len(a.args) == 0 {
		return "this ask takes no args"
	}
	var shown, v stepPayload
	read(a.args, &shown)
	read(args, &v)
	switch {
	case len(args) > MaxStep:
		return tooLong("the edited step", len(args), MaxStep)
	case len(v.Messages) == 0 && (v.Calls == nil || len(shown.Calls) == 0):
		return `args must be {"messages": [{"part": N, "text": "…"}]} or {"calls": [{"call": "…", "args": {…}}]}, as shown`
	}
	parts, calls := map[int]bool{}, map[string]bool{}
	for _, m := range v.Messages {
		if why := shown.badMessage(m); why != "" {
			return why
		}
		if parts[m.Part] {
			return fmt.Sprintf("part %d appears twice in messages", m.Part)
		}
		parts[m.Part] = true
	}
	for _, c := range v.Calls {
		if why := s.badCall(shown, c); why != "" {
			return why
		}
		if calls[c.Call] {
			return "call " + chars.Quote(c.Call) + " appears twice in calls"
		}
		calls[c.Call] = true
	}
	return ""
}

// badMessage returns why an edited message is invalid, or "".
func (p stepPayload) badMessage(m events.StepMessage) string {
	is, known := p.message(m.Part)
	switch {
	case !known:
		return fmt.Sprintf("part %d is not a message of this step", m.Part)
	case m.Call != "" && m.Call != is.Call, m.Prefix != "" && m.Prefix != is.Prefix,
		m.Suffix != "" && m.Suffix != is.Suffix, m.Size != 0 && m.Size != is.Size:
		return fmt.Sprintf("of part %d, only the text can be changed", m.Part)
	case chars.Trim(m.Text) == "" && m.Text != is.Text:
		return fmt.Sprintf("the text of part %d is empty", m.Part)
	}
	return ""
}

// badCall returns why an edited call is invalid, or "". A call that is left as the model made it is
// judged when it is requested.
func (s *State) badCall(shown stepPayload, c events.StepCall) string {
	is, known := shown.call(c.Call)
	switch {
	case !known:
		return "call " + chars.Quote(c.Call) + " is not a call of this step"
	case c.Tool != "" && c.Tool != is.Tool:
		return "the tool of call " + c.Call + " cannot be changed"
	case !changed(is, c) || s.tools[is.Tool] == nil:
		return ""
	}
	if _, bad := s.tools[is.Tool].check(c.Args); bad != "" {
		return "the edited arguments of " + is.Tool + " do not fit: " + bad
	}
	return ""
}

func (p stepPayload) message(part int) (events.StepMessage, bool) {
	for _, m := range p.Messages {
		if m.Part == part {
			return m, true
		}
	}
	return events.StepMessage{}, false
}

func (p stepPayload) call(id string) (events.StepCall, bool) {
	for _, c := range p.Calls {
		if c.Call == id {
			return c, true
		}
	}
	return events.StepCall{}, false
}

// changed reports whether a user gave a call other arguments.
func changed(was, now events.StepCall) bool {
	if len(now.Args) == 0 || string(now.Args) == "null" {
		return false
	}
	a, errA := events.CanonicalDigest(was.Args)
	b, errB := events.CanonicalDigest(now.Args)
	return errA != nil || errB != nil || a != b
}

// edits adds what a user changed to the approval of a step.
func (p stepPayload) edits(args json.RawMessage, out *events.StepApproved) {
	var v stepPayload
	read(args, &v)
	for _, m := range p.Messages {
		if now, given := v.message(m.Part); given && now.Text != m.Text {
			out.Messages = append(out.Messages, events.StepEdit{Part: m.Part, Text: now.Text})
		}
	}
	for _, c := range p.Calls {
		switch now, given := v.call(c.Call); {
		case !given && v.Calls != nil:
			out.Dropped = append(out.Dropped, c.Call)
		case given && changed(c, now):
			out.Calls = append(out.Calls, events.StepCall{Call: c.Call, Tool: c.Tool, Args: now.Args})
		}
	}
}

// settleSpawn lets a ticket start as the user edited it, or not at all.
func (s *State) settleSpawn(a *ask, out events.AskSettled) {
	if out.Outcome != events.Yes {
		s.owe(events.SpawnDenied{Ticket: a.ticket, Attempt: a.attempt, Reason: refusal(out), By: out.By, Ask: out.Ask})
		return
	}
	var v spawnPayload
	read(out.Args, &v)
	yes := events.SpawnApproved{Ticket: a.ticket, Attempt: a.attempt, Files: v.Files, By: out.By, Ask: out.Ask}
	if v.Prompt != nil {
		yes.Prompt = *v.Prompt
	}
	s.owe(yes)
}

// settleStep lets a round continue as the user edited it, or ends the attempt.
func (s *State) settleStep(a *ask, out events.AskSettled) {
	if out.Outcome != events.Yes {
		s.owe(events.StepDenied{Ticket: a.ticket, Attempt: a.attempt, Round: a.round, Reason: refusal(out), By: out.By,
			Ask: out.Ask})
		return
	}
	yes := events.StepApproved{Ticket: a.ticket, Attempt: a.attempt, Round: a.round, By: out.By, Ask: out.Ask}
	var shown stepPayload
	read(a.args, &shown)
	shown.edits(out.Args, &yes)
	s.owe(yes)
}

// encoded returns a payload as JSON.
func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("approval: " + err.Error()) // texts, numbers, and JSON from an event cannot fail
	}
	return b
}
