package config

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/script"
)

var tomlBlock = regexp.MustCompile("(?s)```toml\n(.*?)\n *```")

// TestTheSetUpsOfThePageWorkAsTheyStand loads each block of TOML on the page of
// providers as a person's configuration, and asks each model that it names, at
// the strict fake of its vendor.
func TestTheSetUpsOfThePageWorkAsTheyStand(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/providers.md")
	require.NoError(t, err)
	blocks := tomlBlock.FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, blocks)
	asked := map[string]bool{}
	for _, block := range blocks {
		if strings.Contains(block[1], "api_key = ") {
			_, err := parseCredentials("credentials.toml", []byte(block[1]))
			require.NoError(t, err, block[1])
			continue
		}
		c, err := newLoadCase(t).load(block[1], "", "")
		require.NoError(t, err, block[1])
		for n := 1; n <= 4; n++ {
			asked[events.ProviderName(c.Tier(n).Provider)] = true
			askTier(t, c, n)
		}
	}
	for _, name := range []string{"anthropic", "gemini", "openai", "deepseek", "llama", "my_gateway", "gemini_cli",
		"claude_cli", "codex_cli", "acp"} {
		require.True(t, asked[name], "the page shows no set-up of %s", name)
	}
}

// askTier asks every model of a tier once; nothing is asked of programs.
func askTier(t *testing.T, c Config, n int) {
	t.Helper()
	s := c.Settings(false).Tier(n)
	if events.RunsProgram(s.Provider) || s.Provider == script.Name {
		return
	}
	vendor := s.Provider
	if c.Provider(s.Provider).Kind == KindOpenAI {
		vendor = "vllm"
	}
	fake, stop, err := llmtest.Start(llmtest.Options{Vendor: vendor, Models: s.Models,
		Answer: func(llmtest.View) llmtest.Turn { return llmtest.Turn{Text: "Here."} }})
	require.NoError(t, err, vendor)
	defer stop()
	c = reachedAt(c, s.Provider, fake.URL)
	provider := Providers(c, Credentials{Keys: map[string]string{s.Provider: llmtest.Key}})[s.Provider]
	require.NotNil(t, provider, s.Provider)
	for _, model := range s.Models {
		request := llm.Request{Model: model, Params: events.ModelParams{Effort: s.Effort, MaxOutputTokens: s.MaxOutputTokens},
			Messages: []llm.Message{
				{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You are here.")}},
				{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("Where?")}},
			}}
		reply, err := llm.Collect(provider.Stream(t.Context(), request), nil)
		require.NoError(t, err, "%s %s: %v", s.Provider, model, fake.Refused())
		require.Equal(t, "Here.", reply.Text)
	}
}

// reachedAt is the configuration with another address and no variable for the
// key of a provider.
func reachedAt(c Config, provider, url string) Config {
	out := c
	out.Providers = map[string]Provider{provider: {BaseURL: url}}
	for name, section := range c.Providers {
		if events.ProviderName(name) == provider {
			section.BaseURL, section.APIKeyEnv = url, ""
			out.Providers = map[string]Provider{name: section}
		}
	}
	return out
}
