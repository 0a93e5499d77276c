package projections

import (
	"fmt"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// request is what a read model keeps about a model request until it is answered.
type request struct {
	Stream        string `json:"stream"`
	Goal          string `json:"goal,omitempty"`
	Track         string `json:"track,omitempty"`
	Ticket        string `json:"ticket,omitempty"`
	Call          string `json:"call,omitempty"`
	Tier          int    `json:"tier"`
	TicketAttempt int    `json:"ticket_attempt,omitempty"`
	Round         int    `json:"round,omitempty"`
	Provider      string `json:"provider"`
	Model         string `json:"model"`
}

// requests holds the unanswered model requests by id. The first reply or failure in stream order
// is the answer and removes the request.
type requests map[string]request

// asked adds a request.
func (r requests) asked(e *events.Event, p *events.ModelRequested) request {
	q := request{
		Stream: p.StreamID, Goal: p.Goal, Track: p.Track, Ticket: p.Ticket, Call: p.Call, Tier: p.Tier,
		TicketAttempt: p.TicketAttempt, Round: p.Round, Provider: p.Provider, Model: p.Model,
	}
	r[e.ID] = q
	return q
}

// answered removes and returns a request; false if it is unknown or already answered.
func (r requests) answered(id string) (request, bool) {
	q, ok := r[id]
	if ok {
		delete(r, id)
	}
	return q, ok
}

// call is what a read model keeps about a tool call until its final result.
type call struct {
	Tool       string `json:"tool"`
	Ticket     string `json:"ticket"`
	Attempt    int    `json:"attempt"`
	Round      int    `json:"round"`
	Generation int    `json:"generation,omitempty"` // newest approved generation
	Digest     string `json:"digest,omitempty"`     // of the approved arguments
	Open       bool   `json:"open,omitempty"`       // approved, and without an outcome of this generation
}

// calls holds the tool calls that may still change, by id. Events count as for the deciders: only
// the first outcome for the approved arguments and the current generation. An interrupted or
// parked call waits for a user's decision.
type calls map[string]*call

// take folds an event about a call and reports whether the event counts. It returns the call in
// question, even if the event ended it.
func (c calls) take(e *events.Event) (*call, bool) {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		if c[p.Call] != nil {
			return nil, false
		}
		k := &call{Tool: p.Tool, Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Round}
		c[p.Call] = k
		return k, true
	case events.ToolApproved:
		return c.approved(&p)
	case events.ToolDenied:
		return c.ended(p.Call, c[p.Call] != nil)
	case events.ToolSettled:
		return c.settled(&p)
	case events.ToolParked:
		k := c[p.Call]
		if k == nil || !k.Open {
			return nil, false
		}
		k.Open = false
		return k, true
	case events.InterruptResolved:
		k := c[p.Call]
		if k == nil || p.Resolution == events.InterruptRetry {
			return k, k != nil
		}
		return c.ended(p.Call, true)
	}
	return nil, false
}

func (c calls) approved(p *events.ToolApproved) (*call, bool) {
	k := c[p.Call]
	if k == nil || p.Generation <= k.Generation {
		return nil, false
	}
	k.Generation, k.Digest, k.Open = p.Generation, p.ArgsSHA256, true
	return k, true
}

func (c calls) settled(p *events.ToolSettled) (*call, bool) {
	k := c[p.Call]
	if k == nil || !k.Open || p.Generation != k.Generation || p.ArgsSHA256 != k.Digest {
		return nil, false
	}
	if p.Outcome == events.ToolInterrupted {
		k.Open = false
		return k, true
	}
	return c.ended(p.Call, true)
}

func (c calls) ended(id string, counts bool) (*call, bool) {
	k := c[id]
	if counts {
		delete(c, id)
	}
	return k, counts
}

// requestOf returns the model request to which a call belongs ([events.CallID]).
func requestOf(callID string) string {
	if i := strings.LastIndexByte(callID, '-'); i >= 0 {
		return callID[:i]
	}
	return callID
}

// Waiting is a request of the session without an outcome.
type Waiting struct {
	Request  string     `json:"request"` // id of the requesting event
	Seq      uint64     `json:"seq"`     // of the event that a pool delivers; 0 until a decider approves it
	Type     string     `json:"type"`
	Subject  string     `json:"subject"` // tool, ticket, path or gate
	Since    time.Time  `json:"since"`
	Due      *time.Time `json:"due"`      // the time until which it waits; null if it does not
	Returned int        `json:"returned"` // how often it was redelivered because no pool had it
	WaitsFor string     `json:"waits_for"`
}

var openRequests = Fold[*tiers.OpenRequests]{
	Name: "requests", Version: 3,
	Takes: func(p events.Payload) bool { return tiers.OfRequests(p) },
	New:   func() *tiers.OpenRequests { return &tiers.OpenRequests{Open: map[string]tiers.OpenRequest{}} },
	Apply: func(q *tiers.OpenRequests, e *events.Event) *tiers.OpenRequests { q.Fold(e); return q },
	View: func(q *tiers.OpenRequests) any {
		return struct {
			Requests []Waiting `json:"requests"`
		}{waiting(q)}
	},
}

func waiting(q *tiers.OpenRequests) []Waiting {
	out := []Waiting{}
	for _, r := range q.List() {
		out = append(out, Waiting{r.ID, r.Seq, r.Type, r.Subject, r.At, r.Due, r.Returned, waitsFor(r)})
	}
	return out
}

// waitsFor returns what a request is waiting for, according to the log.
func waitsFor(r tiers.OpenRequest) string {
	switch {
	case r.Type == (events.AskRaised{}).EventType().Name:
		return "an answer; it expires at " + r.Due.UTC().Format(time.RFC3339)
	case r.Seq == 0:
		return "approval by a decider"
	case r.Returned > 0:
		return fmt.Sprintf("an outcome; redelivered %d times", r.Returned)
	case r.Due != nil:
		return "its next attempt, not before " + r.Due.UTC().Format(time.RFC3339)
	}
	return "an outcome"
}

// Waiting returns the session's requests without an outcome, in stream order.
func (s *Set) Waiting() []Waiting { return waiting(stateOf(s, openRequests)) }

// Tracker reports which events about model requests and tool calls count: the
// first answer to a request, and the first outcome for the approved arguments
// and the current generation.
type Tracker struct {
	requests requests
	calls    calls
}

// NewTracker returns a tracker for a new session.
func NewTracker() *Tracker { return &Tracker{requests{}, calls{}} }

// Counts folds one decoded event and reports whether it counts. Undecodable events do not count;
// events that are not about requests or calls always do.
func (t *Tracker) Counts(e *events.Event) bool {
	counts := true
	switch p := e.Payload.(type) {
	case nil, events.Unknown, events.Malformed:
		return false
	case events.ModelRequested:
		t.requests.asked(e, &p)
	case events.ModelReplied:
		_, counts = t.requests.answered(p.Request)
	case events.ModelFailed:
		_, counts = t.requests.answered(p.Request)
	case events.ModelDenied:
		_, counts = t.requests.answered(p.Request)
	case events.ToolRequested, events.ToolApproved, events.ToolDenied, events.ToolSettled, events.ToolParked,
		events.InterruptResolved:
		_, counts = t.calls.take(e)
	}
	return counts
}
