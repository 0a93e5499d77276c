package pricing_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/projections/pricing"
)

func TestTheParticularPriceStandsBeforeTheGeneral(t *testing.T) {
	t.Parallel()
	for model, input := range map[string]int64{
		"gemini-2.5-flash-lite": 75_000, "models/gemini-2.5-flash-001": 150_000, "gemini-3-flash-preview": 150_000, "gemini-3.1-pro-preview": 3_500_000,
		"claude-sonnet-4-5": 3_000_000, "claude-3-7-sonnet-latest": 3_000_000, "DeepSeek-V3": 270_000,
	} {
		p, known := pricing.Of(pricing.Table(), model)
		require.True(t, known, model)
		require.Equal(t, input, p.Input, model)
	}
	for _, model := range []string{"", "m1", "claude-opus-4", "gemini-2.0-flash", "sonnet"} {
		_, known := pricing.Of(pricing.Table(), model)
		require.False(t, known, model)
	}
}

func TestEveryPriceHasADateAndASource(t *testing.T) {
	t.Parallel()
	for _, p := range pricing.Table() {
		_, err := time.Parse(time.DateOnly, p.AsOf)
		require.NoError(t, err)
		require.NotEmpty(t, p.Source)
		require.Positive(t, p.Input)
		require.Positive(t, p.Output)
	}
}

func TestSumsAreExactAndRoundedOnce(t *testing.T) {
	t.Parallel()
	p, known := pricing.Of(pricing.Table(), "gemini-2.5-flash-lite")
	require.True(t, known)
	var s pricing.Sum
	for range 20 {
		s.Add(pricing.Tokens{Input: 1}, p, true) // 0.075 micro-dollars each
	}
	micro, whole := s.MicroDollars()
	require.True(t, whole)
	require.EqualValues(t, 2, micro, "1.5 rounds up")
	require.InDelta(t, 1.5e-6, s.Dollars(), 1e-12)
}

func TestAnUnknownPriceIsUnknownAndNotZero(t *testing.T) {
	t.Parallel()
	p, _ := pricing.Of(pricing.Table(), "claude-sonnet-4-5")
	var s, rest pricing.Sum
	s.Add(pricing.Tokens{Input: 1_000_000}, p, true)
	rest.Add(pricing.Tokens{}, pricing.Price{}, false)
	s.Merge(rest)
	_, whole := s.MicroDollars()
	require.True(t, whole, "nothing at an unknown price is nothing")
	rest.Add(pricing.Tokens{Output: 1}, pricing.Price{}, false)
	s.Merge(rest)
	_, whole = s.MicroDollars()
	require.False(t, whole)
	require.EqualValues(t, 3_000_000, s.Priced())
	require.InDelta(t, 3.0, s.Dollars(), 0)
	require.InDelta(t, 0.0, rest.Dollars(), 0, "the original's cost of an unknown model")

	var cached pricing.Sum
	cached.Add(pricing.Tokens{Input: 1_000_000, CacheRead: 1}, p, true)
	_, whole = cached.MicroDollars()
	require.False(t, whole, "the price of the cache is not known")
	rate := int64(300_000)
	p.CacheRead = &rate
	cached = pricing.Sum{}
	cached.Add(pricing.Tokens{Input: 1_000_000, CacheRead: 1_000_000}, p, true)
	micro, whole := cached.MicroDollars()
	require.True(t, whole)
	require.EqualValues(t, 3_300_000, micro)
	require.InDelta(t, 3.0, cached.Dollars(), 0, "the original does not count a cache")
}

func TestHostileCountsNeitherTurnOverNorPayBack(t *testing.T) {
	t.Parallel()
	p, _ := pricing.Of(pricing.Table(), "claude-sonnet-4-5")
	var s pricing.Sum
	s.Add(pricing.Tokens{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: -1}, p, true)
	s.Add(pricing.Tokens{Input: math.MinInt64, Output: -5}, p, true)
	require.Equal(t, int64(math.MaxInt64/1_000_000+1), s.Priced())
}
