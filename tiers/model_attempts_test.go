package tiers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

func TestAServerThatIsOverloadedIsAskedAgainForAsLongAsTheSettingsSay(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]struct {
		attempts int
		waited   time.Duration
	}{
		events.ModelOverloaded:     {10, 123_750 * time.Millisecond},
		events.ModelRateLimited:    {10, 123_750 * time.Millisecond},
		events.ModelNetwork:        {10, 123_750 * time.Millisecond},
		events.ModelIncomplete:     {tiers.MaxModelAttempts, 750 * time.Millisecond},
		events.ModelInvalidRequest: {1, 0},
	} {
		s := staffed()
		s.ModelAttempts = 10
		sent, waited := begun(s), time.Duration(0)
		for {
			next, ok := tiers.NextAttempt(s, tiers.Seat{Tier: 3}, &sent, events.ModelFailed{Kind: kind}, time.Time{})
			if !ok {
				break
			}
			sent, waited = sent.Then("again", next), waited+next.NotBefore.Sub(time.Time{})
		}
		require.Equal(t, want.attempts, sent.Asked.Attempt, kind)
		require.Equal(t, want.waited, waited, kind)
	}
}

func TestNoFailureIsTriedMoreOftenThanThePersonAllows(t *testing.T) {
	t.Parallel()
	for _, allowed := range []int{1, 2} {
		s := staffed()
		s.ModelAttempts = allowed
		for _, kind := range []string{events.ModelOverloaded, events.ModelIncomplete} {
			require.Equal(t, allowed, tiers.ModelAttempts(s, kind), kind)
		}
	}
}

// begun is a conversation whose first request is sent.
func begun(s events.Settings) tiers.Sent {
	return tiers.Sent{}.Then("first", tiers.Request(s, tiers.Seat{Tier: 3}, tiers.Sent{}, nil))
}

// TestRepliesThatComeIncompleteAreCountedApart has a server be overloaded for a
// while and then break off: waiting for it is no reason to give up the first time
// that it does, and each reply that breaks off counts, whatever stands between.
func TestRepliesThatComeIncompleteAreCountedApart(t *testing.T) {
	t.Parallel()
	s := staffed()
	s.ModelAttempts = 5
	const busy, broken = events.ModelOverloaded, events.ModelIncomplete
	for name, kinds := range map[string][]string{
		"busy first":   {busy, busy, busy, busy, broken, broken, broken},
		"broken first": {broken, broken, busy, busy, busy, busy, broken},
		"in turns":     {broken, busy, broken, busy, broken},
		"busy last":    {broken, busy, busy, busy, broken, busy, busy},
	} {
		sent := begun(s)
		for i, kind := range kinds {
			next, ok := tiers.NextAttempt(s, tiers.Seat{Tier: 3}, &sent, events.ModelFailed{Kind: kind}, time.Time{})
			require.Equal(t, i < len(kinds)-1, ok, "%s, attempt %d", name, i+1)
			if ok {
				sent = sent.Then("again", next)
			}
		}
	}
}

func TestTheNextPromptHasAllItsAttempts(t *testing.T) {
	t.Parallel()
	s, sent := staffed(), tiers.Sent{}
	for range 2 {
		sent = sent.Then("next", tiers.Request(s, tiers.Seat{Tier: 3}, sent, nil))
		for n := 1; n <= tiers.MaxModelAttempts; n++ {
			next, ok := tiers.NextAttempt(s, tiers.Seat{Tier: 3}, &sent, events.ModelFailed{Kind: events.ModelIncomplete},
				time.Time{})
			require.Equal(t, n < tiers.MaxModelAttempts, ok)
			if ok {
				sent = sent.Then("again", next)
			}
		}
	}
}

func TestNoWaitIsLongerThanAMinute(t *testing.T) {
	t.Parallel()
	s := staffed()
	s.ModelAttempts = 100
	r := tiers.Request(s, tiers.Seat{Tier: 3}, tiers.Sent{}, nil)
	r.Attempt = 99
	for _, asked := range []int64{0, (2 * time.Hour).Milliseconds()} {
		next, ok := tiers.NextAttempt(s, tiers.Seat{Tier: 3}, &tiers.Sent{Asked: r},
			events.ModelFailed{Kind: events.ModelOverloaded, RetryAfterMS: asked}, time.Time{})
		require.True(t, ok)
		require.Equal(t, tiers.MaxBackoff, next.NotBefore.Sub(time.Time{}))
	}
}
