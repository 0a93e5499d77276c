package contributor

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// tier is the contributor's.
const tier = 3

// phase is where a run stands: what it owes or what it waits for.
type phase int

const (
	needContext phase = iota + 1 // owes ContextRequested
	awaitContext
	startRound // owes StepRequested in step mode, else ModelRequested
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
	track   string
	ticket  events.Ticket
	attempt int
	prompt  string
	place   string // name of the workspace; empty: the person's folder
	phase   phase
	pending string // id of the own request that is waited for
	round   int

	tools []string // what this attempt's prompts offer, whatever changes meanwhile
	bias  string   // its bias profile

	talk    conversation.Thread         // so far, without refresh blocks
	refresh *events.Part                // stands last in this round's prompt only
	files   map[string]events.FileState // what the conversation knows, by path
	changes []events.FileChange         // of files, by its calls, in the order in which they were first changed

	sent        tiers.Sent             // the newest request
	retry       *events.ModelRequested // another attempt at it
	calls       []*call                // of this round, in the reply's order
	unrequested []*call                // those of them for which ToolRequested is due
	outcome     events.TicketResolved

	cut *events.ConversationShortened // due before the next request
}

func newRun(p events.TicketStarted) *run {
	return &run{track: p.Track, ticket: p.Ticket, attempt: p.Attempt, prompt: p.Prompt, place: p.Workspace,
		phase: needContext, round: 1, files: map[string]events.FileState{}}
}

// over forgets everything about an attempt that ended but that it was there.
func (r *run) over() { *r = run{attempt: r.attempt, phase: ended} }

func (r *run) end(outcome, text, reason string) {
	r.phase = resolve
	r.outcome = events.TicketResolved{Ticket: r.ticket.ID, Attempt: r.attempt, Outcome: outcome, Text: text, Reason: tiers.Clip(reason, MaxReason), Changes: r.sum()}
}

// next is what the run owes now; nothing while it waits.
func (r *run) next(s *State) []events.Payload {
	if r.cut != nil {
		return []events.Payload{*r.cut}
	}
	switch r.phase {
	case needContext:
		return []events.Payload{r.contextRequest(s)}
	case startRound:
		if s.settings.StepMode || r.ticket.StepMode {
			return []events.Payload{r.stepRequest(s.settings)}
		}
		return []events.Payload{r.modelRequest(s)}
	case sendRound:
		return []events.Payload{r.modelRequest(s)}
	case callTools:
		return r.callRequests()
	case needRefresh:
		return []events.Payload{events.RefreshRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round, Files: r.known(s.settings.Tracked), Workspace: r.place}}
	case resolve:
		return []events.Payload{r.outcome}
	}
	return nil
}

func (r *run) stepRequest(now events.Settings) events.StepRequested {
	return events.StepRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round,
		Summary: fmt.Sprintf("round %d of %s goes to %s", r.round, r.ticket.ID, r.seat().Take(now).Model)}
}

// seat is who works on the ticket: its own model, its persona, its retries. Who
// that is now decides, whatever the attempt began with.
func (r *run) seat() tiers.Seat {
	return tiers.Seat{Tier: tier, Persona: r.ticket.PersonaID, Model: r.ticket.ModelOverride, Retries: r.ticket.RetryCount}
}

func (r *run) modelRequest(s *State) events.ModelRequested {
	if r.retry != nil {
		return *r.retry
	}
	parts := r.talk.Parts()
	if r.refresh != nil {
		parts = append(parts, *r.refresh)
	}
	m := tiers.Request(s.settings, r.seat(), r.sent, parts)
	m.StreamID = StreamID(r.ticket.ID)
	m.Track, m.Ticket, m.TicketAttempt, m.Round, m.Tools = r.track, r.ticket.ID, r.attempt, r.round, r.tools
	m.BiasProfile = r.bias
	return m
}

// StreamID is the key of a ticket's text in mma_streams.
func StreamID(ticket string) string { return events.WorkerStream(ticket) }

func (r *run) replied(id string, p events.ModelReplied) {
	r.talk.Say(r.round, events.Part{Role: "assistant", SHA256: p.SHA256, Size: int64(len(p.Text)), From: id})
	switch {
	case len(p.Calls) > 0:
		r.startCalls(p.Calls)
	case p.Finish == "max_tokens":
		r.end(events.ResolvedBlocked, p.Text, "the reply was cut off by max_output_tokens")
	case strings.TrimSpace(p.Text) == "":
		r.end(events.ResolvedBlocked, "", "the model sent an empty reply")
	default:
		r.concluded(p.Text)
	}
}

// concluded ends the run with the model's last word. A text that begins with
// BLOCKED gives up and says why.
func (r *run) concluded(text string) {
	reason, gaveUp := strings.CutPrefix(strings.TrimSpace(text), "BLOCKED")
	if next, _ := utf8.DecodeRuneInString(reason); !gaveUp || next == '_' || unicode.IsLetter(next) || unicode.IsDigit(next) {
		r.end(events.ResolvedDone, text, "")
		return
	}
	reason, _, _ = strings.Cut(strings.TrimLeft(reason, ": \t\r\n"), "\n")
	r.end(events.ResolvedBlocked, text, strings.TrimSpace(reason))
}

// modelFailed tries again. A prompt that was too long for its provider is
// shortened.
func (r *run) modelFailed(now events.Settings, p events.ModelFailed, at time.Time) {
	if r.talk.Refused(r.sent.Asked, p) {
		r.phase = sendRound
		return
	}
	again, ok := tiers.NextAttempt(now, r.seat(), &r.sent, p, at)
	if !ok {
		r.end(events.ResolvedBlocked, "", "model "+p.Kind+": "+p.Message)
		return
	}
	r.retry, r.phase = &again, sendRound
}

// modelDenied ends the run for good: another attempt would be denied as well.
func (r *run) modelDenied(p events.ModelDenied) {
	r.end(events.ResolvedBlocked, "", "budget: "+p.Reason)
	r.outcome.Final = true
}
