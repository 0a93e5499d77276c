package pricing_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/pricing"
)

var autumn = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func TestTheParticularPriceStandsBeforeTheGeneral(t *testing.T) {
	t.Parallel()
	for name, input := range map[[2]string]int64{
		{"gemini", "gemini-2.5-flash-lite"}: 100_000, {"gemini", "models/gemini-2.5-flash-001"}: 300_000,
		{"gemini_cli", "gemini-3-flash-preview"}: 500_000,
		{"gemini", "gemini-3.1-pro-preview"}:     2_000_000, {"anthropic", "claude-sonnet-4-5-20250929"}: 3_000_000,
		{"anthropic", "claude-opus-5-5"}: 4_000_000,
		{"anthropic", "claude-opus-5"}:   5_000_000, {"openai", "gpt-5-mini"}: 250_000,
		{"openai", "gpt-5-2025-08-07"}: 1_250_000, {"openai", "gpt-4o-mini"}: 150_000,
		{"gemini", "gemini-3.7-flash"}: 750_000, {"openai", "gpt-6.2-sol"}: 2_000_000, {"openai", "gpt-6-sol"}: 2_000_000,
		{"openai", "gpt-5.5"}: 5_000_000, {"openai", "gpt-5.2"}: 1_750_000, {"openai", "gpt-5.3-codex"}: 1_750_000,
	} {
		p, known := pricing.Table().Price(name[0], name[1], autumn, 0)
		require.True(t, known, name)
		require.Equal(t, input, p.Input, name)
	}
	for _, name := range [][2]string{{"", ""}, {"anthropic", "m1"}, {"openai", "gpt-5.6-sol"},
		{"deepseek", "deepseek-v4-pro"}, {"openrouter", "claude-sonnet-4-5"}, {"script", "scripted"}} {
		_, known := pricing.Table().Price(name[0], name[1], autumn, 0)
		require.False(t, known, name)
	}
}

func TestALongPromptCostsMore(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[int64]int64{200_000: 2_000_000, 200_001: 4_000_000} {
		p, known := pricing.Table().Price("gemini", "gemini-3.1-pro-preview", autumn, prompt)
		require.True(t, known)
		require.Equal(t, want, p.Input)
	}
	p, _ := pricing.Table().Price("openai", "gpt-6.2-sol", autumn, 272_001)
	require.Equal(t, []int64{4_000_000, 15_000_000, 200_000, 5_000_000}, []int64{p.Input, p.Output, *p.CacheRead,
		*p.CacheWrite5m})
	p, _ = pricing.Table().Price("gemini", "gemini-3.7-flash", autumn.AddDate(0, 2, 0), 0)
	require.EqualValues(t, 1_500_000, p.Input, "the introductory price ends with 2026")
	p, _ = pricing.Table().Price("anthropic", "claude-sonnet-5-5", autumn, 0)
	require.EqualValues(t, 100_000, *p.CacheRead, "the price of reading from the cache was cut")
}

func TestEveryRowHasADayAndASource(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(pricing.Table().Models), events.MaxModelOffers)
	ids := map[string]bool{}
	for _, o := range pricing.Table().Models {
		_, err := time.Parse(time.DateOnly, o.AsOf)
		require.NoError(t, err)
		require.NotEmpty(t, o.Source)
		require.Equal(t, events.ProviderName(o.Provider), o.Provider)
		for _, p := range o.Prices {
			require.False(t, ids[p.ID], p.ID)
			ids[p.ID] = true
			require.Positive(t, p.Input)
			require.Equal(t, !isEmbedding(o.Model), p.Output > 0, p.ID)
			_, err := time.Parse(time.DateOnly, p.AsOf)
			require.NoError(t, err)
			require.NotEmpty(t, p.Source)
			if p.CacheRead != nil {
				require.Less(t, *p.CacheRead, p.Input, "%s: reading from a cache is cheaper; the two were mixed up", p.ID)
			}
			if p.CacheWrite5m != nil {
				require.Greater(t, *p.CacheWrite5m, p.Input, p.ID)
			}
			if p.CacheWrite1h != nil {
				require.Greater(t, *p.CacheWrite1h, *p.CacheWrite5m, p.ID)
			}
		}
	}
}

// isEmbedding tells whether a model writes vectors, no tokens.
func isEmbedding(model string) bool { return strings.Contains(model, "embedding") }

func TestDefaultModelsForRetrievalHaveAPrice(t *testing.T) {
	t.Parallel()
	for name, want := range map[[2]string]int64{{"openai", "text-embedding-3-small"}: 20_000,
		{"gemini", "gemini-embedding-001"}: 150_000} {
		p, known := pricing.Table().Price(name[0], name[1], autumn, 96*500)
		require.True(t, known, name)
		require.Equal(t, want, p.Input, name)
		cost, whole := p.Cost(events.Usage{Input: 1_000_000})
		require.True(t, whole)
		require.Equal(t, events.FromMicro(want), cost)
	}
}

func TestLimitsOfNewerModelsAreKnown(t *testing.T) {
	t.Parallel()
	for _, o := range pricing.Table().Models {
		if o.Provider != "grok" && !isEmbedding(o.Model) { // xAI names no longest reply
			require.Positive(t, o.MaxOutputTokens, "%s/%s", o.Provider, o.Model)
		}
		require.Greater(t, o.ContextWindow, o.MaxOutputTokens, "%s/%s", o.Provider, o.Model)
	}
	for name, want := range map[[2]string][2]int64{
		{"anthropic", "claude-sonnet-4-6"}: {1_000_000, 128_000}, {"anthropic", "claude-opus-4-8"}: {1_000_000, 128_000},
		{"gemini", "gemini-3.8-flash"}: {1_048_576, 65_536},
		{"openai", "gpt-5.5"}:          {1_050_000, 128_000}, {"openai", "gpt-6.1-sol"}: {1_050_000, 128_000},
		{"openai", "gpt-5.3-codex"}: {400_000, 128_000}, {"openai", "gpt-5.3-codex-spark"}: {},
	} {
		o, _ := pricing.Table().Find(name[0], name[1])
		require.Equal(t, want, [2]int64{o.ContextWindow, o.MaxOutputTokens}, name)
	}
}

func TestSumsAreExactAndRoundedOnce(t *testing.T) {
	t.Parallel()
	p := events.ModelPrice{Input: 75_000, Output: 300_000}
	var s pricing.Sum
	for range 20 {
		s.Add(events.Usage{Input: 1}, &p) // 0.075 micro-dollars each
	}
	micro, whole := s.MicroDollars()
	require.True(t, whole)
	require.EqualValues(t, 2, micro, "1.5 rounds up")
	require.InDelta(t, 1.5e-6, s.Dollars(), 1e-12)
}

func TestAnUnknownPriceIsUnknownAndNotZero(t *testing.T) {
	t.Parallel()
	p := events.ModelPrice{Input: 3_000_000, Output: 15_000_000}
	var s, rest pricing.Sum
	s.Add(events.Usage{Input: 1_000_000}, &p)
	rest.Add(events.Usage{}, nil)
	s.Merge(rest)
	_, whole := s.MicroDollars()
	require.True(t, whole, "nothing at an unknown price is nothing")
	rest.Add(events.Usage{Output: 1}, nil)
	s.Merge(rest)
	_, whole = s.MicroDollars()
	require.False(t, whole)
	require.EqualValues(t, 3_000_000, s.Priced())
	require.InDelta(t, 3.0, s.Dollars(), 0)
	require.InDelta(t, 0.0, rest.Dollars(), 0, "the original's cost of an unknown model")

	var cached pricing.Sum
	cached.Add(events.Usage{Input: 1_000_000, CacheRead: 1}, &p)
	_, whole = cached.MicroDollars()
	require.False(t, whole, "the price of the cache is not known")
	rate := int64(300_000)
	p.CacheRead = &rate
	cached = pricing.Sum{}
	cached.Add(events.Usage{Input: 1_000_000, CacheRead: 1_000_000}, &p)
	micro, whole := cached.MicroDollars()
	require.True(t, whole)
	require.EqualValues(t, 3_300_000, micro)
	require.InDelta(t, 3.0, cached.Dollars(), 0, "the original does not count a cache")
}

func TestHostileCountsNeitherTurnOverNorPayBack(t *testing.T) {
	t.Parallel()
	p := events.ModelPrice{Input: 3_000_000, Output: 15_000_000}
	var s pricing.Sum
	s.Add(events.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: -1}, &p)
	s.Add(events.Usage{Input: math.MinInt64, Output: -5}, &p)
	require.Equal(t, int64(math.MaxInt64/1_000_000+1), s.Priced())
}
