package events

import (
	"fmt"

	"manualslop/events/chars"
)

// MaxManifest bounds the parts of a whole manifest. It is more than one event
// can hold, so only a request that continues others can be over it.
const MaxManifest = 1 << 16

// Prompts are the whole manifests of a session's model requests, by request: of
// every part what of makes of it. It is a fold over [ModelRequested] and the one
// place that knows how a request continues another:
//
//   - A request continues an earlier one of its session, and each is continued
//     once at most. So a conversation is one line of requests, of which only the
//     newest is kept, and a request costs what is new in it.
//   - Keep is at least 1 and at most the parts of the request that is continued.
//   - A request that continues none holds the whole.
//
// Whoever needs the parts themselves compares their [ManifestDigest] with the
// request's digest.
type Prompts[T any] map[string]Prompt[T]

// Prompt is the whole manifest of a request that no other continues yet.
type Prompt[T any] struct {
	Of    Conversation `json:"of"`
	Parts []T          `json:"parts"`
}

// Same is a part as it is, for whoever needs all of it.
func Same(p *Part) Part { return *p }

// Conversation is what a request is about.
type Conversation struct {
	Tier    int    `json:"tier"`
	Goal    string `json:"goal,omitempty"`
	Track   string `json:"track,omitempty"`
	Ticket  string `json:"ticket,omitempty"`
	Attempt int    `json:"attempt,omitempty"` // at the ticket
}

// Take folds the request with this id. The parts are lent until the request is
// continued. An error leaves everything as it was.
func (all Prompts[T]) Take(id string, p *ModelRequested, of func(*Part) T) ([]T, error) {
	if known, again := all[id]; again {
		return known.Parts, nil
	}
	kept, err := all.kept(p)
	if err != nil {
		return nil, err
	}
	parts := kept
	for i := range p.Manifest {
		parts = append(parts, of(&p.Manifest[i]))
	}
	delete(all, p.Continues)
	all[id] = Prompt[T]{Conversation{p.Tier, p.Goal, p.Track, p.Ticket, p.TicketAttempt}, parts}
	return parts, nil
}

// kept are the parts that come before those of the request.
func (all Prompts[T]) kept(p *ModelRequested) ([]T, error) {
	if p.Continues == "" {
		if p.Keep != 0 {
			return nil, fmt.Errorf("it keeps %d parts and continues no request", p.Keep)
		}
		return make([]T, 0, len(p.Manifest)), nil
	}
	before, known := all[p.Continues]
	switch {
	case !known:
		return nil, fmt.Errorf("it continues request %s, which does not stand before it, is over, or was continued already",
			chars.Quote(p.Continues))
	case p.Keep < 1 || p.Keep > len(before.Parts):
		return nil, fmt.Errorf("it keeps %d parts of request %s, which has %d; 1 is the least", p.Keep,
			chars.Quote(p.Continues), len(before.Parts))
	case p.Keep+len(p.Manifest) > MaxManifest:
		return nil, fmt.Errorf("its manifest has %d parts; %d are the most", p.Keep+len(p.Manifest), MaxManifest)
	}
	return before.Parts[:p.Keep], nil
}

// Continue says of a request, whose Manifest is the whole, only what is new
// beside the request with this id, whose whole manifest was before. An empty id,
// or nothing in common, leaves it as it is.
func (m *ModelRequested) Continue(id string, before []Part) {
	keep := 0
	for keep < len(before) && keep < len(m.Manifest) && before[keep] == m.Manifest[keep] {
		keep++
	}
	if id != "" && keep > 0 {
		m.Continues, m.Keep, m.Manifest = id, keep, m.Manifest[keep:]
	}
}

// Forget drops the conversations that an event ends. What is asked in them all
// the same, because who asked had not heard of the end, is not known then.
func (all Prompts[T]) Forget(e *Event) {
	if p, replied := e.Payload.(ModelReplied); replied && all[p.Request].Of.Tier == 4 {
		delete(all, p.Request) // one question, one answer
	}
	over := ended(e.Payload)
	if over == nil {
		return
	}
	// order-independent: each is judged alone
	for id, p := range all {
		if over(p.Of) {
			delete(all, id)
		}
	}
}

// EndsPrompts tells whether [Prompts.Forget] looks at such an event.
func EndsPrompts(p Payload) bool {
	_, replied := p.(ModelReplied)
	return replied || ended(p) != nil
}

// ended tells which conversations are over; nil: none.
func ended(p Payload) func(Conversation) bool {
	switch p := p.(type) {
	case TracksProposed:
		return func(c Conversation) bool { return c.Tier == 1 && c.Goal == p.Goal }
	case TicketsPlanned:
		return func(c Conversation) bool { return c.Tier == 2 && c.Track == p.Track && c.Ticket == "" }
	case PlanningFailed:
		return func(c Conversation) bool {
			return c.Tier == p.Tier && c.Goal == p.Goal && c.Track == p.Track && c.Ticket == ""
		}
	case TicketReviewed:
		return func(c Conversation) bool { return c.Tier == 2 && c.Ticket == p.Ticket && c.Attempt <= p.Attempt }
	case TicketResolved:
		return func(c Conversation) bool { // of tier 4, hints that never came: the attempt waited for each
			return c.Tier > 2 && c.Ticket != "" && c.Ticket == p.Ticket && c.Attempt <= p.Attempt
		}
	case TicketKilled:
		return func(c Conversation) bool {
			return c.Tier > 1 && c.Ticket != "" && c.Ticket == p.Ticket && c.Attempt <= p.Attempt
		}
	}
	return nil
}
