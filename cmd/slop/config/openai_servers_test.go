package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/openai"
)

func TestServersLikeOpenAIAreProviders(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Providers["My-Server"] = Provider{Kind: KindOpenAI, BaseURL: "http://127.0.0.1:9/v1"}
	c.Providers["ollama"] = Provider{BaseURL: "http://127.0.0.1:8/v1"}
	require.NoError(t, c.Validate())
	all := Providers(c, Credentials{Keys: map[string]string{"Deep-Seek": "-", "deepseek": "key-of-deepseek"}})
	for _, written := range []string{"openai", "deepseek", "grok", "qwen", "llama", "Ollama", "MiniMax", "openrouter",
		"vllm", "llama.cpp", "my_server"} {
		require.Contains(t, all, events.ProviderName(written))
	}
	llama, _ := all["llama"].(openai.Provider)
	require.Equal(t, "http://127.0.0.1:8/v1", llama.Endpoint.BaseURL)
	deepseek, _ := all["deepseek"].(openai.Provider)
	require.Equal(t, "key-of-deepseek", deepseek.Endpoint.Key)
	own, _ := all["my_server"].(openai.Provider)
	require.Equal(t, "http://127.0.0.1:9/v1", own.Endpoint.BaseURL)
	require.Equal(t, openai.Generic("my_server"), own.Server)
}

func TestTheOriginalsNamesAreTiersProviders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"llama.cpp", "ollama", "MiniMax", "llama"} {
		c := Default()
		tier := c.Tiers["1"]
		tier.Provider = name
		c.Tiers["1"] = tier
		require.NoError(t, c.Validate(), name)
		require.Contains(t, Providers(c, Credentials{}), c.Settings(false).Tier(1).Provider)
	}
}

func TestAProviderIsItselfInEverySpellingOfEveryFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"config.toml": `[tiers]
all = { provider = "Llama.cpp", model = "local" }
3 = { provider = "GEMINI-cli", model = "auto" }
[providers."llama.cpp"]
base_url = "http://127.0.0.1:9/v1"
[providers.Gemini-CLI]
silence_s = 5
[models."llama.cpp/*"]
context_window = 7
[models."Ollama/q"]
context_window = 8
`,
		"credentials.toml": "[\"llama.cpp\"]\napi_key = \"key-of-llama\"\n[MiniMax]\napi_key = \"key-of-minimax\"\n",
		"personas.toml": "[personas.ada]\npreferred_models = [{ provider = \"llama.cpp\", model = \"x\" }, { provider = " +
			"\"MiniMax\", model = \"y\" }, { provider = \"gemini-cli\", model = \"z\" }]\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	c, err := Load(Sources{UserDir: dir, OSUser: "ada"})
	require.NoError(t, err)
	keys, err := LoadCredentials(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"llama_cpp", "gemini_cli"}, []string{c.Settings(false).Tier(1).Provider,
		c.Settings(false).Tier(3).Provider})
	require.Equal(t, "http://127.0.0.1:9/v1", c.Provider("llama_cpp").BaseURL)
	require.EqualValues(t, 5, c.Provider("gemini_cli").SilenceS)
	for name, want := range map[string]string{"llama_cpp": "key-of-llama", "Llama.cpp": "key-of-llama",
		"minimax": "key-of-minimax"} {
		require.Equal(t, want, keys.APIKey(c, name, func(string) string { return "" }), name)
	}
	for provider, want := range map[string]int64{"llama_cpp": 7, "llama": 8} {
		offer, known := c.ModelsOffered(false).Find(provider, "q")
		require.True(t, known, provider)
		require.Equal(t, want, offer.ContextWindow)
	}
	ada, _ := c.Roster.Persona("ada")
	require.Equal(t, []string{"llama_cpp", "minimax", "gemini_cli"}, []string{ada.Models[0].Provider,
		ada.Models[1].Provider, ada.Models[2].Provider})
}

func TestAKindIsForServersThatAreNotKnown(t *testing.T) {
	t.Parallel()
	for name, problem := range map[string]string{"own": "needs base_url", "Ollama": "does not know by name",
		"gemini": "does not know by name", "codex-cli": "does not know by name"} {
		c := Default()
		c.Providers[name] = Provider{Kind: KindOpenAI}
		var wrong *Error
		require.ErrorAs(t, c.Validate(), &wrong, name)
		require.Contains(t, wrong.Problem, problem)
		require.Equal(t, "providers."+name+".kind", wrong.Key)
	}
}

func TestARecordOfAServerOfOnesOwnIsCheckedWithoutItsConfiguration(t *testing.T) {
	t.Parallel()
	find := OrUnknown(Providers(Default(), Credentials{}))
	require.Nil(t, find(""))
	require.Equal(t, "own", find("own").Name())
	deepseek, _ := find("deepseek").(openai.Provider)
	require.True(t, deepseek.Server.NeedsKey)
}

// TestThePageOfProvidersHasEveryServer holds the table of providers.md to the
// adapter's own.
func TestThePageOfProvidersHasEveryServer(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/providers.md")
	require.NoError(t, err)
	for _, s := range openai.Servers() {
		key := "none needed"
		if s.NeedsKey {
			key = "`" + KeyVariables()[s.Name] + "`"
		}
		thoughts := "not returned"
		if s.Reasoning != "" {
			thoughts = "`" + s.Reasoning + "`, goes back: " + string(s.Back)
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %s, `%s` | %s | %s |", s.Name, s.BaseURL, key, s.SystemRole, s.MaxTokens,
			thoughts, limits(s))
		require.Contains(t, string(page), row, "write this row into docs/providers.md")
	}
}

// limits are what else a row says of a server.
func limits(s openai.Server) string {
	out := []string{"parallel calls: " + string(s.Parallel)}
	if s.MaxTools > 0 {
		out = append(out, fmt.Sprintf("%d tools", s.MaxTools))
	}
	if s.ToolChoice {
		out = append(out, "`tool_choice`")
	}
	if s.JSONSchema {
		out = append(out, "`json_schema`")
	}
	return strings.Join(out, ", ")
}
