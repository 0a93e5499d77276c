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
		r, waited := tiers.Request(s, tiers.Seat{Tier: 3}, tiers.Sent{}, nil), time.Duration(0)
		for {
			next, ok := tiers.NextAttempt(s, tiers.Seat{Tier: 3}, tiers.Sent{Asked: r}, events.ModelFailed{Kind: kind}, time.Time{})
			if !ok {
				break
			}
			r, waited = next, waited+next.NotBefore.Sub(time.Time{})
		}
		require.Equal(t, want.attempts, r.Attempt, kind)
		require.Equal(t, want.waited, waited, kind)
	}
}

func TestNoWaitIsLongerThanAMinute(t *testing.T) {
	t.Parallel()
	s := staffed()
	s.ModelAttempts = 100
	r := tiers.Request(s, tiers.Seat{Tier: 3}, tiers.Sent{}, nil)
	r.Attempt = 99
	for _, asked := range []int64{0, (2 * time.Hour).Milliseconds()} {
		next, ok := tiers.NextAttempt(s, tiers.Seat{Tier: 3}, tiers.Sent{Asked: r}, events.ModelFailed{Kind: events.ModelOverloaded, RetryAfterMS: asked}, time.Time{})
		require.True(t, ok)
		require.Equal(t, tiers.MaxBackoff, next.NotBefore.Sub(time.Time{}))
	}
}
