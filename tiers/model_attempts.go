package tiers

import (
	"slices"
	"time"

	"manualslop/events"
)

// MaxModelAttempts limits the attempts at one model reply, including the first, if the settings
// have no value. It also limits those with an incomplete reply if the settings allow more, because
// each of these is paid for.
const MaxModelAttempts = 3

// MaxInterrupted limits the attempts at one reply that were cut off because their caller stopped
// or crashed. Each may have been paid for, but none says anything about the model, so the settings
// do not limit them.
const MaxInterrupted = 8

// ModelAttempts returns the limit for attempts at one reply that fail in one way, including the
// first.
func ModelAttempts(s events.Settings, kind string) int {
	switch {
	case kind == events.ModelInterrupted:
		return MaxInterrupted
	case s.ModelAttempts == 0:
		return MaxModelAttempts
	case kind == events.ModelIncomplete:
		return min(s.ModelAttempts, MaxModelAttempts)
	}
	return s.ModelAttempts
}

// MaxBackoff limits the wait before another attempt, even if the provider asks
// for more.
const MaxBackoff = 60 * time.Second

// firstBackoff is the wait before the second attempt if the provider does not
// ask for one.
const firstBackoff = 250 * time.Millisecond

// Sent is a recorded request, kept by its decider for the next one of the same conversation. The
// zero value means that nothing was sent.
type Sent struct {
	ID    string
	Asked events.ModelRequested // as recorded
	Parts []events.Part         // its whole manifest

	sum         events.ManifestSum `snapshot:"-"` // of Parts, recomputed if missing
	incomplete  int                // attempts whose reply was incomplete
	interrupted int                // attempts that were cut off when their caller ended
}

// Then returns the value that replaces s once the next request of the conversation is recorded
// with this id; s must not be used any more. It panics if asked does not follow from s, because
// both come from the same decider.
func (s Sent) Then(id string, asked events.ModelRequested) Sent {
	line := events.Prompts[events.Part]{}
	if asked.Continues != "" {
		line[s.ID] = events.Prompt[events.Part]{Parts: s.Parts}
	}
	parts, err := line.Take(id, &asked, events.Same)
	if err != nil {
		panic("tiers: request " + id + ": " + err.Error())
	}
	out := Sent{ID: id, Asked: asked, Parts: parts}
	if _, out.sum, err = s.sum.Of(parts, asked.Keep); err != nil {
		panic("tiers: request " + id + ": " + err.Error())
	}
	if asked.Attempt > 1 {
		out.incomplete, out.interrupted = s.incomplete, s.interrupted
	}
	return out
}

// digest returns the digest of the manifest of the first keep parts and more.
func (s *Sent) digest(keep int, more []events.Part) (string, error) {
	if n := s.sum.Parts(); n <= keep {
		if digest, _, ok := s.sum.After(slices.Concat(s.Parts[n:keep], more)); ok {
			return digest, nil
		}
	}
	return events.ManifestDigest(slices.Concat(s.Parts[:keep], more))
}

// failed counts a failure of the last attempt and returns the new count. Incomplete replies,
// interruptions and other failures are counted separately.
func (s *Sent) failed(kind string) int {
	switch kind {
	case events.ModelIncomplete:
		s.incomplete++
		return s.incomplete
	case events.ModelInterrupted:
		s.interrupted++
		return s.interrupted
	}
	return s.Asked.Attempt - s.incomplete - s.interrupted
}

// maxDoublings is the number of the first attempt that is followed by a wait of MaxBackoff.
const maxDoublings = 9

// NextAttempt counts a failure and returns the request that follows the failed one; it must be
// called once per failure. The new request has the same prompt, the next attempt number, and a
// wait counted from the failure's time (the provider's own, else 250 ms doubled each time; at most
// MaxBackoff). It uses the current settings of the seat, so a changed setting takes effect. It
// returns false if another attempt cannot help or [ModelAttempts] is reached.
func NextAttempt(s events.Settings, seat Seat, last *Sent, failure events.ModelFailed,
	at time.Time) (events.ModelRequested, bool) {
	next := last.Asked
	if !failure.Retryable() || last.failed(failure.Kind) >= ModelAttempts(s, failure.Kind) {
		return events.ModelRequested{}, false
	}
	wait := MaxBackoff
	if next.Attempt < maxDoublings {
		wait = firstBackoff << (next.Attempt - 1)
	}
	if failure.RetryAfterMS > 0 {
		wait = time.Duration(min(failure.RetryAfterMS, MaxBackoff.Milliseconds())) * time.Millisecond
	}
	due := at.Add(wait)
	next.Attempt++
	next.NotBefore = &due
	next.Manifest, next.Continues, next.Keep = last.Parts, "", 0
	next.Continue(last.ID, last.Parts)
	return address(s, seat, next), true
}

// Request returns a model request with the fields that all requests share: who answers it,
// according to the settings of its tier and the personas, and the prompt with its digest. The
// parts are the whole prompt; only those that are new since before are recorded.
func Request(s events.Settings, seat Seat, before Sent, parts []events.Part) events.ModelRequested {
	return RequestAfter(s, seat, before, 0, parts)
}

// RequestAfter is like [Request], for a prompt that starts with the first same parts of before,
// followed by rest.
func RequestAfter(s events.Settings, seat Seat, before Sent, same int, rest []events.Part) events.ModelRequested {
	m := events.ModelRequested{Attempt: 1, Tier: seat.Tier, Manifest: rest}
	m.Continue(before.ID, before.Parts[same:])
	if same > 0 {
		m.Continues, m.Keep = before.ID, m.Keep+same
	}
	var err error
	if m.SHA256, err = before.digest(m.Keep, m.Manifest); err != nil {
		panic("tiers: " + err.Error()) // plain strings and numbers cannot fail
	}
	return address(s, seat, m)
}

// address sets the model that answers a request, and its parameters.
func address(s events.Settings, seat Seat, r events.ModelRequested) events.ModelRequested {
	to := seat.Take(s)
	r.Provider, r.Model, r.Command, r.Params = to.Provider, to.Model, s.Command(to.Provider), to.Params
	r.Params.MaxOutputTokens = to.Reply
	r.Persona, r.Note = to.Persona.Name, to.Note
	r.Guarded = s.Budget.Guards()
	return r
}
