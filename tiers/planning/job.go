package planning

import (
	"errors"
	"fmt"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// MaxReplies limits how many replies are read for one plan, including the first.
const MaxReplies = 3

// Subject identifies what is planned, and by which tier.
type Subject struct {
	Tier        int
	StreamID    string // of the conversation, such as "Tier 1"
	Goal, Track string // Track is empty for tier 1
	Persona     string // of the track; empty means the tier's own
	Place       string // workspace of the views; empty means the user's folder
	// Ticket and Attempt identify the reviewed attempt; unset for a plan.
	Ticket  string
	Attempt int
}

// Job is one plan in progress: views of the project, requests and replies. Create one with [Begin]
// or [Refuse]; the zero value is not usable.
type Job struct {
	subject  Subject
	talk     *conversation.Thread
	due      []events.Payload
	waits    string // id of the own fact whose answer is expected
	sent     tiers.Sent
	requests int
	replies  int // replies that were read
	cut      int // replies that were cut at their limit and requested again
	empty    int // empty replies
	shows    int // replies that asked for files and were answered
	left     int // files beyond the limit in the last such reply
	proposed int // replies up to the last plan that waited for a user
	refusals int // plans that a user refused
}

// Begin starts a job; its request for the views is due.
func Begin(s Subject, views []events.ViewRequest) *Job {
	return &Job{subject: s, due: []events.Payload{
		events.ContextRequested{Tier: s.Tier, Goal: s.Goal, Track: s.Track, Ticket: s.Ticket, Attempt: s.Attempt,
			Views: views, Workspace: s.Place}}}
}

// Refuse returns a job that fails without any request.
func Refuse(s Subject, reason string) *Job {
	j := &Job{subject: s}
	j.giveUp(reason)
	return j
}

// Due returns the fact that is due; nil if there is none.
func (j *Job) Due() events.Payload {
	if len(j.due) == 0 {
		return nil
	}
	return j.due[0]
}

// Awaits reports whether the job waits for the answer to the fact request.
func (j *Job) Awaits(request string) bool { return j.waits != "" && j.waits == request }

// Ask makes the first request due, addressed by the current desk. Talk is the complete prompt.
func (j *Job) Ask(now *Desk, talk *conversation.Thread) {
	j.waits, j.talk = "", talk
	j.send(now)
}

// send makes the next request due, preceded by the event that shortens its prompt if necessary. If
// the prompt cannot be made to fit, it ends the job.
func (j *Job) send(now *Desk) {
	cut, err := j.talk.Fit(now.Offers.Reader(j.seat().Take(now.Settings), nil), nil)
	if err != nil {
		// our words: package conversation writes this text.
		j.giveUp(err.Error())
		return
	}
	j.due = nil
	if cut != nil {
		cut.Tier, cut.Goal, cut.Track = j.subject.Tier, j.subject.Goal, j.subject.Track
		cut.Ticket, cut.Attempt, cut.Round = j.subject.Ticket, j.subject.Attempt, j.round()
		j.talk.Apply(*cut)
		j.due = append(j.due, *cut)
	}
	j.due = append(j.due, j.request(now.Settings, j.talk.Parts()))
}

func (j *Job) request(now events.Settings, parts []events.Part) events.ModelRequested {
	r := tiers.Request(now, j.seat(), j.sent, parts)
	r.StreamID, r.Goal, r.Track, r.Round = j.subject.StreamID, j.subject.Goal, j.subject.Track, j.round()
	r.Ticket, r.TicketAttempt = j.subject.Ticket, j.subject.Attempt
	return r
}

// round returns the number of replies, including the one being requested.
func (j *Job) round() int { return j.replies + j.empty + j.shows + 1 }

// seat returns the seat that plans; each unusable reply selects the next model of the list.
func (j *Job) seat() tiers.Seat {
	return tiers.Seat{Tier: j.subject.Tier, Persona: j.subject.Persona, Retries: j.replies - j.proposed, Cut: j.cut}
}

// Reword replaces the texts of a basis in the conversation.
func (j *Job) Reword(from, to events.Basis) {
	if j.talk != nil {
		j.talk.Reword(from, to)
	}
}

// ModelFailed folds the failure of the awaited request: it makes another attempt due, with a
// shorter prompt if the prompt was too long, or ends the job.
func (j *Job) ModelFailed(now *Desk, e *events.Event, f events.ModelFailed) {
	j.waits = ""
	if j.talk.Refused(j.sent.Asked, f) {
		j.send(now)
		return
	}
	if next, ok := tiers.NextAttempt(now.Settings, j.seat(), &j.sent, f, e.Time); ok {
		j.due = []events.Payload{next}
		return
	}
	j.giveUp(fmt.Sprintf("the model failed (%s): %s", f.Kind, f.Message))
}

// Replied folds the awaited reply, which its owner has already read. If unusable is nil, the plan
// becomes due, else a correction or the end. A reply that was cut at its limit is requested again
// with a larger one, if the model allows it.
func (j *Job) Replied(now *Desk, e *events.Event, r events.ModelReplied, plan events.Payload, unusable error) {
	j.waits = ""
	if r.Finish == "max_tokens" && j.seat().AskLonger(now.Settings, j.sent.Asked) {
		j.cut++
		j.send(now)
		return
	}
	if j.empty < MaxEmpty && saysNothing(r) {
		j.talk.Heard(&now.Offers, j.sent.Asked, nil, e.ID, r)
		j.talk.Say(j.round(), events.Part{Role: "user", Text: goOn})
		j.empty++
		j.send(now)
		return
	}
	j.replies++
	if unusable == nil && r.Finish == "max_tokens" {
		unusable = errCutOff
	}
	if unusable == nil {
		unusable = CheckSize(plan, MaxPlanBytes)
	}
	switch {
	case unusable == nil:
		j.due = []events.Payload{plan}
		if _, waits := plan.(events.PlanProposed); waits {
			j.talk.Heard(&now.Offers, j.sent.Asked, nil, e.ID, r)
			j.said(e, r)
			j.proposed = j.replies
		}
	case j.replies-j.proposed >= MaxReplies:
		j.giveUp(reason(r, unusable))
	default:
		j.talk.Heard(&now.Offers, j.sent.Asked, nil, e.ID, r)
		j.correct(e, r, unusable)
		j.send(now)
	}
}

// MaxEmpty is the number of empty replies per plan that do not count towards MaxReplies.
const MaxEmpty = 2

// goOn is the reminder after an empty reply.
const goOn = "Your reply was empty. Write the JSON array now."

// saysNothing reports whether a complete reply is empty.
func saysNothing(r events.ModelReplied) bool {
	return r.Finish != "max_tokens" && len(r.Calls) == 0 && chars.Trim(r.Text) == ""
}

// errCutOff rejects a plan in an unfinished reply, because it may be incomplete.
var errCutOff = errors.New("it is not finished")

func reason(r events.ModelReplied, unusable error) string {
	// our words: the functions that read plans write this text.
	s := tiers.Clip(unusable.Error(), MaxErrorBytes)
	if r.Finish == "max_tokens" {
		s += " (the reply was cut off at the output limit; be briefer)"
	}
	if len(r.Calls) > 0 {
		s += " (it calls tools; you have none, answer in words)"
	}
	return s
}

func correction(reason string) string {
	return "Your reply could not be used: " + reason + "\n\nReply again with the whole JSON array and nothing else."
}

// correct adds the round of a reply that cannot be used, with the reason. It leaves out the reply
// itself if it is empty or calls tools that were not offered, because no vendor accepts that.
func (j *Job) correct(e *events.Event, r events.ModelReplied, unusable error) {
	if r.Text != "" && len(r.Calls) == 0 {
		j.said(e, r)
	}
	j.talk.Say(j.round()-1, events.Part{Role: "user", Text: correction(reason(r, unusable))})
}

// said adds a reply that was read to the conversation.
func (j *Job) said(e *events.Event, r events.ModelReplied) {
	j.talk.Say(j.round()-1, events.Part{Role: "assistant", SHA256: r.SHA256, Size: int64(len(r.Text)), From: e.ID})
}

// MaxRefusals limits how many plans of one track a user may send back.
const MaxRefusals = 5

// Answered makes the next fact due after a user's answer to the proposed plan: the plan, or a new proposal with the
// person's own tickets that cannot be planned.
func (j *Job) Answered(next events.Payload) { j.waits, j.due = "", []events.Payload{next} }

// Refused makes another plan due if the user gave a reason, else the end.
func (j *Job) Refused(now *Desk, p events.PlanAnswered) {
	j.waits = ""
	if j.refusals++; p.Reason == "" || j.refusals > MaxRefusals {
		j.giveUp("the plan was refused by " + p.By)
		return
	}
	j.talk.Say(j.round()-1, events.Part{Role: "user", Text: "The person who must agree to this plan refused it: " +
		p.Reason + "\n\nReply with the whole JSON array of another plan and nothing else."})
	j.send(now)
}

func (j *Job) giveUp(reason string) {
	if j.subject.Ticket != "" {
		j.due = []events.Payload{events.TicketReviewed{Ticket: j.subject.Ticket, Attempt: j.subject.Attempt,
			Verdict: events.ReviewSkipped,
			Reasons: []string{tiers.Clip(reason, MaxErrorBytes)}}}
		return
	}
	j.due = []events.Payload{events.PlanningFailed{
		Tier: j.subject.Tier, Goal: j.subject.Goal, Track: j.subject.Track,
		Attempts: j.requests, Error: tiers.Clip(reason, MaxErrorBytes),
	}}
}

// Emitted folds the job's own fact, the first that was due. Once the plan or its failure is
// recorded, the job is over and its prompts are released.
func (j *Job) Emitted(e *events.Event) {
	j.due = j.due[1:]
	switch x := e.Payload.(type) {
	case events.ConversationShortened: // the request after it is due
	case events.ContextRequested, events.PlanProposed:
		j.waits = e.ID
	case events.ModelRequested:
		j.waits, j.sent = e.ID, j.sent.Then(e.ID, x)
		j.requests++
	default:
		*j = Job{}
	}
}
