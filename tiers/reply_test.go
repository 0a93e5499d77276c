package tiers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

func TestTheLimitOfAReplyFollowsTheModel(t *testing.T) {
	t.Parallel()
	known := events.ModelsOffered{Models: []events.ModelOffer{
		{Provider: "v", Model: "large", ContextWindow: 1_000_000, MaxOutputTokens: 128_000},
		{Provider: "v", Model: "short", ContextWindow: 1_000_000, MaxOutputTokens: 16_384},
		{Provider: "v", Model: "narrow", ContextWindow: 64_000, MaxOutputTokens: 64_000},
		{Provider: "vllm", Model: "known", ContextWindow: 64_000, MaxOutputTokens: 8000},
	}}
	for _, c := range []struct {
		provider, model string
		set             int
		want            []int // by the replies that were cut
	}{
		{"v", "large", 0, []int{32_000, 64_000, 128_000, 128_000}},
		{"v", "short", 0, []int{16_384, 16_384}},
		{"v", "narrow", 0, []int{16_000, 32_000, 32_000}},
		{"v", "unknown", 0, []int{32_000, 64_000, 64_000}},
		{"v", "large", 8000, []int{8000, 8000}},
		{"v", "short", 20_000, []int{16_384, 16_384}},
		{"v", "unknown", 200_000, []int{200_000}},
		{"vllm", "unknown", 0, []int{0, 0}},
		{"ollama", "unknown", 0, []int{0, 0}},
		{"vllm", "known", 0, []int{8000, 8000}},
		{"script", "m", 0, []int{0, 0}},
		{"claude_cli", "large", 0, []int{0, 0}},
	} {
		s, _ := events.Settings{Tiers: []events.TierSettings{{Tier: 3, Provider: c.provider, Models: []string{c.model},
			MaxOutputTokens: c.set}}}.Changed(known)
		for cut, want := range c.want {
			seat := tiers.Seat{Tier: 3, Cut: cut}
			asked := tiers.Request(s, seat, tiers.Sent{}, nil)
			require.Equal(t, want, asked.Params.MaxOutputTokens, "%s/%s, %d, cut %d", c.provider, c.model, c.set, cut)
			require.Equal(t, cut+1 < len(c.want) && c.want[cut+1] > want, seat.AskLonger(s, asked), "%s/%s, %d, cut %d",
				c.provider, c.model, c.set, cut)
		}
	}
}
