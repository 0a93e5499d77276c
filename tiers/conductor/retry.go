package conductor

import (
	"manualslop/events"
	"manualslop/tiers"
)

// gaveUpDue retries a ticket whose attempt failed, up to the number of retries in the settings;
// after that it blocks the ticket.
func (s *State) gaveUpDue(t *ticket) events.Payload {
	reason := because(t.verdict, "the attempt gave up")
	if t.final {
		return events.TicketBlocked{Ticket: t.ID, Kind: events.BlockDenied, Reason: reason}
	}
	if t.RetryCount < s.settings.MaxRetries {
		return events.TicketRetried{Ticket: t.ID, RetryCount: t.RetryCount + 1, Reason: reason}
	}
	return events.TicketBlocked{Ticket: t.ID, Kind: events.BlockWorker, Reason: reason}
}

// model returns the model that will work on a ticket: the ticket's own, else the one of its
// persona or its tier for its number of retries.
func (s *State) model(t *ticket) string {
	seat := tiers.Seat{Tier: workerTier, Persona: t.PersonaID, Model: t.ModelOverride, Retries: t.RetryCount}
	return seat.Take(s.settings).Model
}
