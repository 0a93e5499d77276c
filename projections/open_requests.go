package projections

import (
	"fmt"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// Waiting is a request of the session that has no outcome yet.
type Waiting struct {
	Request  string     `json:"request"` // id of the event that asks
	Seq      uint64     `json:"seq"`     // of the event that a pool hands out; 0: a decider has yet to allow it
	Type     string     `json:"type"`
	Subject  string     `json:"subject"` // tool, ticket, path or gate
	Since    time.Time  `json:"since"`
	Due      *time.Time `json:"due"`      // it waits for the clock until then; null: it does not
	Returned int        `json:"returned"` // how often it was handed out again because no pool held it
	WaitsFor string     `json:"waits_for"`
}

var openRequests = Fold[*tiers.OpenRequests]{
	Name: "requests", Version: 1,
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

// waitsFor is what a request waits for as far as the log tells.
func waitsFor(r tiers.OpenRequest) string {
	switch {
	case r.Type == (events.AskRaised{}).EventType().Name:
		return "an answer; it expires at " + r.Due.UTC().Format(time.RFC3339)
	case r.Seq == 0:
		return "a decider that allows it"
	case r.Returned > 0:
		return fmt.Sprintf("an outcome; handed out again %d times", r.Returned)
	case r.Due != nil:
		return "its next attempt, not before " + r.Due.UTC().Format(time.RFC3339)
	}
	return "an outcome"
}

// Waiting lists the requests of the session without an outcome, in stream order.
func (s *Set) Waiting() []Waiting { return waiting(stateOf(s, openRequests)) }
