package qa

import (
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// query is something that tier 4's model is asked: how a failed call is to be
// read, or how it is to be mended.
type query interface {
	// replied is what follows from the model's reply.
	replied(events.ModelReplied) events.Payload
	// skip is how the query ends without one.
	skip(reason string) events.Payload
	// moot says why nobody needs the answer any more; empty: somebody does.
	moot(*State) string
}

// asked is a query with its newest request.
type asked struct {
	query
	request events.ModelRequested
}

// failed asks again where that may help.
func (s *State) failed(a *asked, p events.ModelFailed, at time.Time) events.Payload {
	if why := a.moot(s); why != "" {
		return a.skip(why)
	}
	if again, ok := tiers.NextAttempt(s.settings, tiers.Seat{Tier: tier}, a.request, p, at); ok {
		s.asking = a.query
		return again
	}
	return a.skip("model " + p.Kind + ": " + p.Message)
}
