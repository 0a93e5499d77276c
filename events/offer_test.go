package events_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func offered() events.ModelsOffered {
	rate := func(n int64) *int64 { return &n }
	return events.ModelsOffered{Models: []events.ModelOffer{
		{Provider: "gemini", Model: "gemini-3-pro*", Prices: []events.ModelPrice{
			{ID: "old", Input: 1, Output: 1},
			{ID: "new", ValidFrom: "2026-05-01", Input: 2_000_000, Output: 12_000_000, CacheRead: rate(200_000)},
			{ID: "new-long", ValidFrom: "2026-05-01", PromptOver: 200_000, Input: 4_000_000, Output: 18_000_000},
		}},
		{Provider: "anthropic", Model: "claude*sonnet*", Prices: []events.ModelPrice{
			{ID: "sonnet", Input: 3_000_000, Output: 15_000_000, CacheRead: rate(300_000), CacheWrite5m: rate(3_750_000),
				CacheWrite1h: rate(6_000_000)}}},
		{Provider: "anthropic", Model: "claude-x"},
	}}
}

func TestTheFirstRowThatFitsAModelCounts(t *testing.T) {
	t.Parallel()
	for name, want := range map[[2]string]string{
		{"gemini", "models/Gemini-3-Pro-preview"}: "gemini-3-pro*", {"gemini-cli", "gemini-3-pro"}: "gemini-3-pro*",
		{"claude_cli", "claude-sonnet-4-5"}: "claude*sonnet*",
		{"anthropic", "claude-x"}:           "claude-x",
	} {
		o, known := offered().Find(name[0], name[1])
		require.True(t, known, name)
		require.Equal(t, want, o.Model)
	}
	for _, name := range [][2]string{{"openrouter", "claude-sonnet-4-5"}, {"anthropic", "claude-xy"}, {"anthropic", ""},
		{"gemini", "gemini-3"}} {
		_, known := offered().Find(name[0], name[1])
		require.False(t, known, name)
	}
}

func TestAPriceHoldsFromItsDayAndForItsPrompts(t *testing.T) {
	t.Parallel()
	april, may := time.Date(2026, 4, 30, 23, 59, 59, 0, time.UTC), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at     time.Time
		prompt int64
		want   string
	}{{april, 500_000, "old"}, {may, 0, "new"}, {may, 200_000, "new"}, {may, 200_001, "new-long"}} {
		p, known := offered().Price("gemini", "gemini-3-pro", c.at, c.prompt)
		require.True(t, known)
		require.Equal(t, c.want, p.ID)
	}
	_, known := offered().Price("anthropic", "claude-x", may, 1)
	require.False(t, known, "a row without a price is no price of zero")
	p, known := priceOf("new-long")
	require.True(t, known)
	require.EqualValues(t, 200_000, p.PromptOver)
}

// priceOf finds a price of offered by its id.
func priceOf(id string) (events.ModelPrice, bool) {
	for _, o := range offered().Models {
		for _, p := range o.Prices {
			if p.ID == id {
				return p, true
			}
		}
	}
	return events.ModelPrice{}, false
}

func TestEachKindOfTokenHasItsOwnPrice(t *testing.T) {
	t.Parallel()
	p, _ := priceOf("sonnet")
	cost, whole := p.Cost(events.Usage{Input: 1000, Output: 100, CacheRead: 10_000, CacheWrite: 300, CacheWriteHour: 100})
	require.True(t, whole)
	require.EqualValues(t, 3000+1500+3000+750+600, cost.Micro())
	cost, whole = p.Cost(events.Usage{Input: -1, CacheWrite: 10, CacheWriteHour: 100})
	require.True(t, whole)
	require.EqualValues(t, 60, cost.Micro(), "no more for an hour than was written")
	long, _ := priceOf("new-long")
	cost, whole = long.Cost(events.Usage{Input: 1, CacheRead: 1})
	require.False(t, whole, "the price of the cache is not known")
	require.EqualValues(t, 4, cost.Micro())
	require.EqualValues(t, 6000+1500, p.Dearest(1000, 100).Micro(), "a prompt may all go into the cache for an hour")
}

func TestMoneyNeitherTurnsOverNorPaysBack(t *testing.T) {
	t.Parallel()
	require.Equal(t, events.Pico(math.MaxInt64), events.Pay(math.MaxInt64, 2))
	require.Equal(t, events.Pico(math.MaxInt64), events.Pico(math.MaxInt64).Plus(1))
	require.Zero(t, events.Pay(-5, 3))
	require.Equal(t, events.Pico(1), events.Pico(-7).Plus(1))
	require.EqualValues(t, 2, events.Pico(1_500_000).Micro())
	require.EqualValues(t, 1, events.Pico(1_499_999).Micro())
}
