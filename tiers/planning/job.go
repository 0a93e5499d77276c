package planning

import (
	"errors"
	"fmt"
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// MaxReplies bounds the replies that are read for one plan, the first included.
const MaxReplies = 3

// Subject says what is planned, by which tier.
type Subject struct {
	Tier        int
	StreamID    string // of the conversation: "Tier 1", "Tier 2"
	Goal, Track string // Track is empty on tier 1
	Persona     string // of the track; empty: the tier's own
	Place       string // workspace that the views are of; empty: the person's folder
	// Ticket and Attempt are what is reviewed; unset where a plan is made.
	Ticket  string
	Attempt int
}

// Job is one plan on its way: views of the project, requests, replies, the end.
// The zero value is unusable; see [Begin] and [Refuse].
type Job struct {
	subject  Subject
	due      events.Payload
	waits    string // id of the own fact whose answer counts
	last     events.ModelRequested
	requests int
	replies  int
	done     bool
}

// Begin opens a job; a request for the views is due.
func Begin(s Subject, views []events.ViewRequest) *Job {
	return &Job{subject: s, due: events.ContextRequested{Tier: s.Tier, Goal: s.Goal, Track: s.Track, Ticket: s.Ticket, Attempt: s.Attempt, Views: views, Workspace: s.Place}}
}

// Refuse is a job that fails before it asks anybody.
func Refuse(s Subject, reason string) *Job {
	j := &Job{subject: s}
	j.giveUp(reason)
	return j
}

// Due is the fact that ought to exist and does not; nil if there is none.
func (j *Job) Due() events.Payload { return j.due }

// Done tells whether the plan, or its failure, is on record.
func (j *Job) Done() bool { return j.done }

// Awaits tells whether request is the fact whose answer the job waits for.
func (j *Job) Awaits(request string) bool { return j.waits != "" && j.waits == request }

// Ask makes the first request due, under the settings of now. Parts are the
// whole prompt.
func (j *Job) Ask(now events.Settings, parts []events.Part) {
	j.waits = ""
	j.due = j.request(now, parts)
}

func (j *Job) request(now events.Settings, parts []events.Part) events.ModelRequested {
	r := tiers.Request(now, j.seat(), parts)
	r.StreamID, r.Goal, r.Track, r.Round = j.subject.StreamID, j.subject.Goal, j.subject.Track, j.replies+1
	r.Ticket, r.TicketAttempt = j.subject.Ticket, j.subject.Attempt
	return r
}

// seat is who plans; the list of models goes one up for each unusable reply.
func (j *Job) seat() tiers.Seat {
	return tiers.Seat{Tier: j.subject.Tier, Persona: j.subject.Persona, Retries: j.replies}
}

// ModelFailed folds the failure of the awaited request: another attempt is
// due, or the end.
func (j *Job) ModelFailed(now events.Settings, e *events.Event, f events.ModelFailed) {
	j.waits = ""
	if next, ok := tiers.NextAttempt(now, j.seat(), j.last, f, e.Time); ok {
		j.due = next
		return
	}
	j.giveUp(fmt.Sprintf("the model failed (%s): %s", f.Kind, f.Message))
}

// Replied folds the awaited reply as its owner has read it: the plan is due
// if unusable is nil, else a correction, else the end.
func (j *Job) Replied(now events.Settings, e *events.Event, r events.ModelReplied, plan events.Payload, unusable error) {
	j.waits = ""
	j.replies++
	if unusable == nil && r.Finish == "max_tokens" {
		unusable = errCutOff
	}
	if unusable == nil {
		unusable = CheckSize(plan, MaxPlanBytes)
	}
	switch {
	case unusable == nil:
		j.due = plan
	case j.replies >= MaxReplies:
		j.giveUp(reason(r, unusable))
	default:
		j.due = j.request(now, slices.Concat(j.last.Manifest, answered(e, r), []events.Part{{Role: "user", Text: correction(reason(r, unusable))}}))
	}
}

// errCutOff refuses a plan out of a reply that was not finished: what is whole in
// it may be only a part.
var errCutOff = errors.New("it is not finished")

func reason(r events.ModelReplied, unusable error) string {
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

// answered is the reply as a part of the next prompt. A reply without text, or
// one that called tools nobody offered, is left out: no vendor takes it back.
func answered(e *events.Event, r events.ModelReplied) []events.Part {
	if r.Text == "" || len(r.Calls) > 0 {
		return nil
	}
	return []events.Part{{Role: "assistant", SHA256: r.SHA256, Size: int64(len(r.Text)), From: e.ID}}
}

func (j *Job) giveUp(reason string) {
	if j.subject.Ticket != "" {
		j.due = events.TicketReviewed{Ticket: j.subject.Ticket, Attempt: j.subject.Attempt, Verdict: events.ReviewSkipped,
			Reasons: []string{tiers.Clip(reason, MaxErrorBytes)}}
		return
	}
	j.due = events.PlanningFailed{
		Tier: j.subject.Tier, Goal: j.subject.Goal, Track: j.subject.Track,
		Attempts: j.requests, Error: tiers.Clip(reason, MaxErrorBytes),
	}
}

// Emitted folds the job's own fact.
func (j *Job) Emitted(e *events.Event) {
	j.due = nil
	switch x := e.Payload.(type) {
	case events.ContextRequested:
		j.waits = e.ID
	case events.ModelRequested:
		j.waits, j.last = e.ID, x
		j.requests++
	default:
		j.done = true
	}
}
