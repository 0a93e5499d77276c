package doctor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
)

// configured has a model for each API, with parameters that not all of them take.
func configured() config.Config {
	c, warm := config.Default(), 0.5
	c.Providers["gateway"] = config.Provider{Kind: config.KindOpenAI, BaseURL: "http://127.0.0.1:9"}
	c.Providers["openai"] = config.Provider{BaseURL: "http://127.0.0.1:8"}
	c.Tiers = map[string]config.Tier{
		"1": {Provider: "openai", Model: "gpt-5.5", Temperature: &warm},
		"2": {Provider: "anthropic", Model: "claude-opus-5-5", Effort: "off"},
		"3": {Provider: "gateway", Models: []string{"openai/gpt-5.5", "gpt-4.1"}},
		"4": {Provider: "gemini", Model: "gemini-2.5-flash"},
	}
	c.Roster.Personas = []events.Persona{
		{Name: "ada", Models: []events.PreferredModel{{Provider: "gemini", Model: "gemini-2.5-flash"},
			{Provider: "gateway", Model: "gpt-5.6-sol"}}},
		{Name: "bob", Models: []events.PreferredModel{{Provider: "claude_cli", Model: "opus"}}},
	}
	return c
}

func TestDoctorSaysHowEachModelIsReachedAndWhatWillNotWork(t *testing.T) {
	t.Parallel()
	const refused = "OpenAI rejects function tools for this model on Chat Completions while it thinks: it cannot " +
		"work on tickets; " +
		"set provider to openai, with the base_url of a gateway that speaks the Responses API"
	require.Equal(t, []finding{
		note("models", "openai/gpt-5.5 (tier 1) uses the Responses API; the server at base_url must speak the "+
			"Responses API for this model; "+
			"temperature and top_p are not sent: the model rejects them"),
		note("models", `anthropic/claude-opus-5-5 (tier 2) uses the Messages API; effort "off" is sent as "low": the model cannot stop thinking`),
		note("models", "gateway/openai/gpt-5.5 (tier 3) uses the Chat Completions API; "+refused),
		ok("models", "gateway/gpt-4.1 (tier 3) uses the Chat Completions API"),
		ok("models", "gemini/gemini-2.5-flash (tier 4, persona ada) uses the Gemini API"),
		note("models", "gateway/gpt-5.6-sol (persona ada) uses the Chat Completions API; "+refused),
	}, checkModels(configured()))
}

func TestModelsSayHowTheyAreReachedAndWhatWillNotWork(t *testing.T) {
	t.Parallel()
	c := configured()
	all := config.Providers(c, config.Credentials{})
	var view modelsView
	for _, name := range everyProvider(all) {
		view.Providers = append(view.Providers, newProviderLine(c, name, config.Credentials{}))
	}
	uses := modelUses(c, all)
	view.Models = advised(modelLines(c, view.Providers), uses, c.ModelsOffered(false), view.Providers)
	text, err := json.Marshal(view)
	require.NoError(t, err)
	var printed struct {
		Models []struct {
			Provider, Model, API string
			Tiers                []int
			WillNotWork          []string `json:"will_not_work"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &printed))
	apis := map[string]string{}
	for _, m := range printed.Models {
		if m.API != "" {
			apis[m.Provider+"/"+m.Model] = m.API
		}
		if m.Model == "gpt-5.5" {
			require.Len(t, m.WillNotWork, 2)
		}
	}
	require.Equal(t, map[string]string{"openai/gpt-5.5": "Responses", "anthropic/claude-opus-5-5": "Messages",
		"gateway/openai/gpt-5.5": "Chat Completions",
		"gateway/gpt-4.1":        "Chat Completions", "gemini/gemini-2.5-flash": "Gemini",
		"gateway/gpt-5.6-sol": "Chat Completions"}, apis)

	var out bytes.Buffer
	printModels(&site.Flags{Terminal: term.Terminal{Out: &out}}, view, uses, true)
	_, said, found := strings.Cut(out.String(), "\nThe APIs of the configured models, and what will not work:\n")
	require.True(t, found)
	require.True(t, strings.HasPrefix(said, "  openai/gpt-5.5 (tier 1): Responses API\n    - the server at base_url"),
		said)
}
