package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/events"
)

func TestATierThatChangesItsProviderTakesThatProvidersModels(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Tiers["1"] = config.Tier{Provider: "deepseek", Models: []string{"deepseek-chat", "deepseek-reasoner"}}
	c.Tiers["2"] = config.Tier{Provider: "my_gateway", Model: "small"}
	for _, row := range []struct {
		tier     int
		from     string
		models   []string
		provider string
		want     []string
	}{
		{3, "gemini", []string{"gemini-2.5-flash-lite"}, "Anthropic", []string{"claude-sonnet-4-6"}},
		{3, "gemini", []string{"gemini-2.5-flash-lite"}, "gemini-cli", nil},
		{3, "anthropic", []string{"claude-opus-5-5"}, "gemini", []string{"gemini-2.5-flash-lite"}},
		{1, "anthropic", []string{"claude-opus-5-5"}, "gemini", []string{"gemini-2.5-flash-lite"}},
		{3, "gemini", []string{"gemini-2.5-flash-lite"}, "deepseek", []string{"deepseek-chat", "deepseek-reasoner"}},
		{1, "deepseek", []string{"deepseek-chat"}, "my_gateway", []string{"small"}},
		{3, "script", []string{"scripted"}, "acp", []string{"default"}},
		{3, "script", nil, "claude_cli", []string{"sonnet"}},
		{3, "gemini", []string{"gemini-2.5-flash-lite"}, "script", nil},
		{3, "script", []string{"named-by-a-person"}, "anthropic", nil},
		{3, "gemini", []string{"named-by-a-person"}, "anthropic", nil},
		{3, "gemini", []string{"gemini-2.5-flash-lite"}, "ollama", nil},
		{3, "gemini", []string{"gemini-2.5-flash-lite"}, "gemini", nil},
	} {
		got := c.ModelsAt(events.TierSettings{Tier: row.tier, Provider: row.from, Models: row.models}, row.provider)
		require.Equal(t, row.want, got, "%v", row)
	}
}

func TestAPriceWithoutOneForCachedTokensGivesAnUpperBound(t *testing.T) {
	t.Parallel()
	input, output, cached := 2.0, 4.0, 0.5
	used := events.Usage{Input: 1e6, CacheRead: 1e6, Output: 1e6}
	for _, row := range []struct {
		model config.Model
		want  int64
	}{
		{config.Model{Input: &input, Output: &output}, 8e6},
		{config.Model{Input: &input, Output: &output, CacheRead: &cached}, 6_500_000},
	} {
		c := config.Default()
		c.Models = map[string]config.Model{"gemini/new": row.model}
		offered, _ := c.ModelsOffered(false).Find("gemini", "new")
		require.Len(t, offered.Prices, 1)
		cost, whole := offered.Prices[0].Cost(used)
		require.True(t, whole)
		require.Equal(t, row.want, cost.Micro())
	}
}
