package qa

import (
	"time"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// query is a question to tier 4's model: how to explain or how to fix a failed call.
type query interface {
	// replied returns the fact that follows from the model's reply.
	replied(events.ModelReplied) events.Payload
	// skip returns the fact that ends the query without a reply.
	skip(reason string) events.Payload
	// moot returns why the answer is no longer needed; empty if it still is.
	moot(*State) string
}

// talk is a query and its conversation. Exactly one of triage and patch is set,
// because a stored state cannot hold interfaces.
type talk struct {
	triage *triage
	patch  *patch
	prompt conversation.Thread
	about  events.ModelRequested // the common fields of its requests, without a manifest
	sent   tiers.Sent            // the newest request
	cut    int                   // replies that were cut at their limit and requested again
}

// query returns the triage or patch that is set.
func (t *talk) query() query {
	if t.patch != nil {
		return t.patch
	}
	return t.triage
}

// seat returns the seat that answers the query.
func (t *talk) seat() tiers.Seat { return tiers.Seat{Tier: tier, Cut: t.cut} }

// replied returns what follows from a reply: another request if the reply was cut at a limit that
// can be raised, else the query's result.
func (s *State) replied(a *talk, p events.ModelReplied) []events.Payload {
	if p.Finish == "max_tokens" && a.seat().AskLonger(s.settings, a.sent.Asked) {
		a.cut++
		return s.send(a)
	}
	return []events.Payload{a.query().replied(p)}
}

// send makes the request of a query due, preceded by the event that shortens its prompt if
// necessary. If the prompt cannot be made to fit, it ends the query.
func (s *State) send(t *talk) []events.Payload {
	seat := t.seat()
	var out []events.Payload
	cut, err := t.prompt.Fit(s.offers.Reader(seat.Take(s.settings), nil), nil)
	if err != nil {
		// our words: package conversation writes this text.
		return []events.Payload{t.query().skip(err.Error())}
	}
	if cut != nil {
		cut.Tier, cut.Ticket, cut.Attempt, cut.Call, cut.Round = tier, t.about.Ticket, t.about.TicketAttempt, t.about.Call, 1
		t.prompt.Apply(*cut)
		out = append(out, *cut)
	}
	s.asking = t
	m := tiers.Request(s.settings, seat, t.sent, t.prompt.Parts())
	m.StreamID, m.Ticket, m.TicketAttempt, m.Call = StreamID, t.about.Ticket, t.about.TicketAttempt, t.about.Call
	return append(out, m)
}

// failed makes another attempt if that may help, with a shorter prompt if the prompt was too long.
func (s *State) failed(a *talk, p events.ModelFailed, at time.Time) []events.Payload {
	if why := a.query().moot(s); why != "" {
		return []events.Payload{a.query().skip(why)}
	}
	if a.prompt.Refused(a.sent.Asked, p) {
		return s.send(a)
	}
	if again, ok := tiers.NextAttempt(s.settings, a.seat(), &a.sent, p, at); ok {
		s.asking = a
		return []events.Payload{again}
	}
	return []events.Payload{a.query().skip("model " + p.Kind + ": " + p.Message)}
}
