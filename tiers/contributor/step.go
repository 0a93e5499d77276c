package contributor

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/fence"
)

// MaxStep limits the messages of one step, in bytes of JSON. Texts that do not fit are named with
// their length.
const MaxStep = 64 << 10

// steps reports whether a user approves what the run does next.
func (r *run) steps(s *State) bool { return s.settings.StepMode || r.ticket.StepMode }

// showsSteps reports whether a step shows what it lets through, and whether calls need one.
func (s *State) showsSteps() bool { return s.basis.Decision(events.ActorContributor) >= 3 }

// stepsCalls reports whether the calls of the reply wait for a user before they are requested. A
// ticket's check is the engine's own call.
func (r *run) stepsCalls(s *State) bool {
	return s.showsSteps() && r.steps(s) && !r.stepped && !r.checking && len(r.unrequested) > 0
}

// requestStep asks for approval of the next request to the model.
func (r *run) requestStep(s *State) events.StepRequested {
	p := events.StepRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round,
		Summary: fmt.Sprintf("round %d of %s goes to %s", r.round, r.ticket.ID, r.seat().Take(s.settings).Model)}
	if s.showsSteps() {
		p.Messages = r.messages()
	}
	return p
}

// callStep asks for approval of the calls of the reply.
func (r *run) callStep() events.StepRequested {
	p := events.StepRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round}
	var names []string
	for _, c := range r.unrequested {
		p.Calls = append(p.Calls, events.StepCall{Call: c.id, Tool: c.tool, Args: c.args})
		names = append(names, tiers.Line(tiers.Clip(c.tool, events.MaxToken)))
	}
	p.Summary = tiers.Clip(fmt.Sprintf("round %d of %s calls %s", r.round, r.ticket.ID, strings.Join(names, ", ")),
		MaxReason)
	return p
}

// messages returns the new messages of the next request that are not the model's own and not the
// engine's instructions.
func (r *run) messages() []events.StepMessage {
	same, rest := r.talk.Since()
	if r.refresh != nil {
		rest = append(rest, *r.refresh)
	}
	var out []events.StepMessage
	room := MaxStep
	for i, p := range rest {
		if !editable(p) {
			continue
		}
		m := events.StepMessage{Part: same + i, Call: p.Call, Prefix: p.Prefix, Suffix: p.Suffix}
		if text, known := r.contentOf(p); known && sizeOf(m)+sizeOf(text) <= room {
			m.Text = text
		} else {
			m.Size = max(p.Size, int64(len(p.Text)))
		}
		room -= sizeOf(m)
		out = append(out, m)
	}
	return out
}

// editable reports whether a user may edit a part of a request.
func editable(p events.Part) bool {
	return (p.Role == "user" || p.Role == "tool") && p.Kind != events.PartImage
}

// contentOf returns the text of a part, as far as the model reads it; false if it is not known.
func (r *run) contentOf(p events.Part) (string, bool) {
	if p.SHA256 == "" {
		return p.Text, true
	}
	text, known := r.texts[p.SHA256]
	if rs := []rune(text); p.Head > 0 && len(rs) > p.Head {
		text = string(rs[:p.Head])
	}
	return text, known
}

// learnText keeps a text that a step may show, until the request that holds it is sent.
func (r *run) learnText(s *State, sha256, text string) {
	if text == "" || !s.showsSteps() || !r.steps(s) {
		return
	}
	if r.texts == nil {
		r.texts = map[string]string{}
	}
	r.texts[sha256] = text
}

// stepApproved goes on with a step as the user edited it.
func (r *run) stepApproved(p events.StepApproved) {
	if r.phase == awaitCallStep {
		r.stepped, r.phase = true, callTools
		r.editCalls(p)
		return
	}
	for _, edit := range p.Messages {
		change := func(p events.Part) events.Part { return edited(p, edit.Text) }
		if !r.talk.Edit(edit.Part, change) && r.refresh != nil { // the block of changed files is behind the last part
			changed := change(*r.refresh)
			r.refresh = &changed
		}
	}
	r.phase = sendRound
}

// edited returns a part with a user's text instead of its own. It stays in its fence, if it has
// one.
func edited(p events.Part, text string) events.Part {
	if p.Origin == "" {
		text = fence.Neutralise(text)
	}
	p.Text, p.SHA256, p.Size, p.From, p.Index, p.Head = text, "", 0, "", 0, 0
	return p
}

// editCalls gives calls other arguments, or refuses them. The gate of tools judges each call that
// is left.
func (r *run) editCalls(p events.StepApproved) {
	r.unrequested = slices.DeleteFunc(r.unrequested, func(c *call) bool {
		for _, e := range p.Calls {
			if e.Call == c.id {
				c.args = slices.Clone(e.Args)
				c.change(p.By, e.Args)
			}
		}
		dropped := slices.Contains(p.Dropped, c.id)
		if dropped {
			c.answer(events.Part{Text: "DENIED: " + tiers.Line(p.By) + " dropped this call", Failed: true})
		}
		return dropped
	})
	r.awaitCalls()
}
