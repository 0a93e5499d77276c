package contributor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// phase is where a run stands: what it owes or what it waits for.
type phase int

const (
	needContext phase = iota + 1 // owes ContextRequested
	awaitContext
	startRound // owes StepRequested in step mode, else the request
	awaitStep
	sendRound // owes ModelRequested
	awaitModel
	callTools // owes ToolRequested for each call of the reply
	awaitCalls
	needRefresh // owes RefreshRequested
	awaitRefresh
	resolve // owes TicketResolved
	ended
)

// run is one attempt at a ticket.
type run struct {
	track     string
	ticket    events.Ticket
	attempt   int
	model     string
	prompt    string
	phase     phase
	pending   string // id of the own request that is waited for
	round     int
	parts     []events.Part // the conversation so far, without refresh blocks
	refresh   *events.Part  // stands last in the next prompt only
	files     map[string]events.FileState
	request   events.ModelRequested
	retry     *events.ModelRequested // another attempt at request
	calls     []*call
	requested int // calls for which ToolRequested exists
	outcome   events.TicketResolved
}

func newRun(p events.TicketStarted) *run {
	return &run{track: p.Track, ticket: p.Ticket, attempt: p.Attempt, model: p.Model, prompt: p.Prompt,
		phase: needContext, round: 1, files: map[string]events.FileState{}}
}

func (r *run) wait(p phase, request string) { r.phase, r.pending = p, request }

func (r *run) end(outcome, text, reason string) {
	r.phase = resolve
	r.outcome = events.TicketResolved{Ticket: r.ticket.ID, Attempt: r.attempt, Outcome: outcome, Text: text, Reason: reason}
}

// next is the fact that the run owes now, if it owes one.
func (r *run) next(s *State) []events.Payload {
	switch r.phase {
	case needContext:
		return []events.Payload{r.contextRequest()}
	case startRound:
		if s.stepMode || r.ticket.StepMode {
			return []events.Payload{events.StepRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round,
				Summary: fmt.Sprintf("round %d of %s goes to %s", r.round, r.ticket.ID, r.model)}}
		}
		return []events.Payload{r.modelRequest(s)}
	case sendRound:
		return []events.Payload{r.modelRequest(s)}
	case callTools:
		return r.callRequests()
	case needRefresh:
		return []events.Payload{events.RefreshRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round, Files: r.known(s.settings.Tracked)}}
	case resolve:
		return []events.Payload{r.outcome}
	}
	return nil
}

func (r *run) contextRequest() events.ContextRequested {
	views := []events.ViewRequest{{Path: ".", View: events.ViewTree}}
	seen := map[string]bool{"": true}
	for _, path := range append([]string{r.ticket.TargetFile}, r.ticket.ContextRequirements...) {
		if !seen[path] {
			seen[path] = true
			views = append(views, events.ViewRequest{Path: path, View: events.ViewRaw})
		}
	}
	return events.ContextRequested{Tier: 3, Track: r.track, Ticket: r.ticket.ID, Attempt: r.attempt, Views: views}
}

func (r *run) modelRequest(s *State) events.ModelRequested {
	if r.retry != nil {
		return *r.retry
	}
	parts := slices.Clone(r.parts)
	if r.refresh != nil {
		parts = append(parts, *r.refresh)
	}
	m := tiers.Request(s.settings.Tier(3), r.model, parts)
	m.StreamID = StreamID(r.ticket.ID)
	m.Track, m.Ticket, m.TicketAttempt, m.Round, m.Tools = r.track, r.ticket.ID, r.attempt, r.round, s.tools
	return m
}

// StreamID is the key of a ticket's text in mma_streams.
func StreamID(ticket string) string { return "Tier 3 (Worker): " + ticket }

func (r *run) replied(id string, p events.ModelReplied) {
	r.refresh = nil
	r.parts = append(r.parts, events.Part{Role: "assistant", SHA256: p.SHA256, Size: int64(len(p.Text)), From: id})
	switch {
	case len(p.Calls) > 0:
		r.startCalls(p.Calls)
	case p.Finish == "max_tokens":
		r.end(events.ResolvedBlocked, p.Text, "the reply was cut off by max_output_tokens")
	case strings.TrimSpace(p.Text) == "":
		r.end(events.ResolvedBlocked, "", "the model sent an empty reply")
	default:
		r.answered(p.Text)
	}
}

// answered ends the run with the model's last word. A text that begins with
// BLOCKED gives up and says why.
func (r *run) answered(text string) {
	reason, gaveUp := strings.CutPrefix(strings.TrimSpace(text), "BLOCKED")
	if !gaveUp {
		r.end(events.ResolvedDone, text, "")
		return
	}
	reason, _, _ = strings.Cut(strings.TrimLeft(reason, ": "), "\n")
	r.end(events.ResolvedBlocked, text, reason)
}

func (r *run) modelFailed(p events.ModelFailed, at time.Time) {
	again, ok := tiers.NextAttempt(r.request, p, at)
	if !ok {
		r.end(events.ResolvedBlocked, "", "model "+p.Kind+": "+p.Message)
		return
	}
	r.retry, r.phase = &again, sendRound
}

// advance begins the next round, or ends the run when it had its last.
func (r *run) advance(maxRounds int) {
	if maxRounds <= 0 {
		maxRounds = DefaultMaxRounds
	}
	if r.round >= maxRounds {
		r.end(events.ResolvedBlocked, "", fmt.Sprintf("no end after %d rounds", maxRounds))
		return
	}
	r.round++
	r.phase = startRound
}
