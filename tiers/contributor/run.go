package contributor

import (
	"fmt"
	"time"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// tier is the contributor's tier, and the default tier of a turn.
const tier = 3

// phase is the state of a run: what is due, or what it waits for.
type phase int

const (
	needContext phase = iota + 1 // ContextRequested is due
	awaitContext
	startRound // StepRequested is due in step mode, else ModelRequested
	awaitStep
	sendRound // ModelRequested is due
	awaitModel
	callTools // StepRequested is due in step mode, then ToolRequested for each call of the reply
	awaitCallStep
	awaitCalls
	needRefresh // RefreshRequested is due
	awaitRefresh
	needAnswer // QuestionRequested is due
	awaitAnswer
	resolve // TicketResolved is due
	ended
)

// run is one attempt at a ticket.
type run struct {
	tier    int
	turn    *turn // nil if the run is about a ticket
	track   string
	ticket  events.Ticket
	attempt int
	prompt  string
	chosen  []string // files to show instead of the ticket's own; nil if a user chose none
	place   string   // name of the workspace; empty means the user's folder
	phase   phase
	pending string // id of the pending own request
	round   int

	tools []string // tools offered in this attempt's prompts; later offers do not change them
	bias  string   // the bias profile

	reminders  int                      // number of reminders in a row
	question   events.QuestionRequested // the newest
	questionID string                   // of its event
	questions  int
	noted      int  // number of the ticket's notes that the conversation has
	asked      bool // it was reminded that it changed nothing
	proved     bool // the ticket's check passed after the last change
	checking   bool // the call of this round is the ticket's check
	moved      bool // there may be changes that the list of changes does not contain

	talk    conversation.Thread         // the conversation so far, without blocks of changed files
	refresh *events.Part                // last part of this round's prompt only
	files   map[string]events.FileState // by path: what the conversation knows about files
	changes []events.FileChange         // made by its calls, in the order of the first change

	sent        tiers.Sent             // the newest request
	retry       *events.ModelRequested // the next attempt at it, if one is due
	calls       []*call                // of this round, in the order of the reply
	unrequested []*call                // calls for which ToolRequested is due
	stepped     bool                   // a user approved them
	texts       map[string]string      // in step mode, by digest: texts of parts that were not sent yet
	outcome     events.TicketResolved

	cut *events.ConversationShortened // due before the next request

	failedChecks int // of the ticket's own check
	cutReplies   int // replies cut at their limit, which raise the limit of the next ones
}

func newRun(p events.TicketStarted) *run {
	return &run{tier: tier, track: p.Track, ticket: p.Ticket, attempt: p.Attempt, prompt: p.Prompt, chosen: p.Files,
		place: p.Workspace, phase: needContext, round: 1, files: map[string]events.FileState{}}
}

// over drops the state of an ended attempt, and keeps only that it ended.
func (r *run) over() { *r = run{attempt: r.attempt, phase: ended} }

func (r *run) end(outcome, text, reason string) {
	r.phase = resolve
	r.outcome = events.TicketResolved{Ticket: r.ticket.ID, Attempt: r.attempt, Outcome: outcome, Text: text,
		Reason: tiers.Clip(reason, MaxReason), Changes: r.sum()}
}

// next returns what is due now; nothing if the run is waiting.
func (r *run) next(s *State) []events.Payload {
	if r.cut != nil {
		return []events.Payload{*r.cut}
	}
	switch r.phase {
	case needContext:
		return []events.Payload{r.contextRequest(s)}
	case startRound:
		if r.steps(s) {
			return []events.Payload{r.requestStep(s)}
		}
		return []events.Payload{r.modelRequest(s)}
	case sendRound:
		return []events.Payload{r.modelRequest(s)}
	case callTools:
		if r.stepsCalls(s) {
			return []events.Payload{r.callStep()}
		}
		return r.callRequests(s)
	case needRefresh:
		return []events.Payload{events.RefreshRequested{Ticket: r.ticket.ID, Attempt: r.attempt, Round: r.round,
			Files: r.known(s.settings.Tracked), Workspace: r.place}}
	case needAnswer:
		return []events.Payload{r.question}
	case resolve:
		return []events.Payload{r.result()}
	}
	return nil
}

// seat returns the seat that works on the ticket. It is resolved with the current settings, not
// with those at the start of the attempt.
func (r *run) seat() tiers.Seat {
	return tiers.Seat{Tier: r.tier, Persona: r.ticket.PersonaID, Model: r.ticket.ModelOverride,
		Retries: r.ticket.RetryCount, Cut: r.cutReplies}
}

func (r *run) modelRequest(s *State) events.ModelRequested {
	if r.retry != nil {
		return *r.retry
	}
	same, rest := r.talk.Since()
	if r.refresh != nil {
		rest = append(rest, *r.refresh)
	}
	m := tiers.RequestAfter(s.settings, r.seat(), r.sent, same, rest)
	m.StreamID = r.stream()
	m.Track, m.Ticket, m.TicketAttempt, m.Round, m.Tools = r.track, r.ticket.ID, r.attempt, r.round, r.tools
	m.BiasProfile = r.bias
	return m
}

// stream returns the key of the run's text in mma_streams.
func (r *run) stream() string {
	if r.turn != nil {
		return events.DiscussionStream(r.turn.asked.Discussion)
	}
	return events.WorkerStream(r.ticket.ID)
}

func (r *run) replied(s *State, id string, p events.ModelReplied) {
	if longer := r.longer(s.settings, p); longer && len(p.Calls) == 0 {
		r.phase = sendRound
		return
	}
	switch {
	case r.compacts() && len(p.Calls) > 0:
		r.end(events.ResolvedBlocked, "", "the model called a tool although none was offered")
	case len(p.Calls) > 0:
		r.say(id, p)
		r.reminders = 0
		r.startCalls(p)
	case p.Finish == "max_tokens":
		r.end(events.ResolvedBlocked, p.Text, fmt.Sprintf("the reply was cut off at its limit of %d tokens",
			r.sent.Asked.Params.MaxOutputTokens))
	case r.turn != nil:
		r.replies(s, id, p)
	default:
		r.spoke(s, id, p)
	}
}

// longer raises the limit of the next replies if this one was cut at its limit. It returns false
// if it was not, or if the limit cannot be raised.
func (r *run) longer(now events.Settings, p events.ModelReplied) bool {
	if p.Finish != "max_tokens" || !r.seat().AskLonger(now, r.sent.Asked) {
		return false
	}
	r.cutReplies++
	return true
}

// modelFailed makes another attempt or ends the run. A prompt that was too long for its provider
// is shortened.
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

// modelDenied ends the run for good, because another attempt would also be denied.
func (r *run) modelDenied(p events.ModelDenied) {
	r.end(events.ResolvedBlocked, "", "budget: "+p.Reason)
	r.outcome.Final = true
}
