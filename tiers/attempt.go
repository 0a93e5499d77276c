package tiers

import (
	"time"

	"manualslop/events"
)

// MaxModelAttempts bounds the attempts at one model reply, the first included.
const MaxModelAttempts = 3

// MaxBackoff bounds the wait before another attempt, whatever the provider asks for.
const MaxBackoff = 60 * time.Second

// firstBackoff is the wait before the second attempt where the provider asks for none.
const firstBackoff = 250 * time.Millisecond

// NextAttempt builds the request that follows a failed one: the same prompt,
// the next attempt, not before a wait counted from the failure's time (the
// provider's own, capped, else 250 ms doubled each time). It goes to who sits in
// the seat by the settings of now, so a person who changes them reaches it.
// False when no further attempt may help or MaxModelAttempts is reached.
func NextAttempt(s events.Settings, seat Seat, last events.ModelRequested, failure events.ModelFailed, at time.Time) (events.ModelRequested, bool) {
	if !failure.Retryable() || last.Attempt >= MaxModelAttempts {
		return events.ModelRequested{}, false
	}
	wait := firstBackoff << (last.Attempt - 1)
	if failure.RetryAfterMS > 0 {
		wait = time.Duration(min(failure.RetryAfterMS, MaxBackoff.Milliseconds())) * time.Millisecond
	}
	due := at.Add(wait)
	last.Attempt++
	last.NotBefore = &due
	return address(s, seat, last), true
}

// Request fills what every model request has in common: who answers it, by the
// settings of its tier and the personas, and the manifest's digest.
func Request(s events.Settings, seat Seat, parts []events.Part) events.ModelRequested {
	digest, err := events.ManifestDigest(parts)
	if err != nil {
		panic("tiers: " + err.Error()) // parts are plain strings and numbers
	}
	return address(s, seat, events.ModelRequested{Attempt: 1, Tier: seat.Tier, Manifest: parts, SHA256: digest})
}

// address says who answers a request, and how.
func address(s events.Settings, seat Seat, r events.ModelRequested) events.ModelRequested {
	to := seat.Take(s)
	r.Provider, r.Model, r.Command, r.Params = to.Provider, to.Model, s.Command(to.Provider), to.Params
	r.Persona, r.Note = to.Persona.Name, to.Note
	r.Guarded = s.Budget.Guards()
	return r
}
