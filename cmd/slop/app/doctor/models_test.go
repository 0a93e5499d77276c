package doctor

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/config"
	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/transport"
)

func TestAKeyIsCheckedWithTheListOfModels(t *testing.T) {
	t.Parallel()
	server := llmtest.Anthropic(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "never asked for"}}})
	ask := func(url, key string) providerLine {
		l := providerLine{Provider: anthropic.Name}
		l.check(t.Context(), anthropic.Provider{Endpoint: llm.Endpoint{BaseURL: url, Key: key,
			Client: transport.NewClient()}})
		return l
	}
	good := ask(server.URL, llmtest.Key)
	require.Equal(t, checkOK, good.Check, good.Detail)
	require.NotEmpty(t, good.listed)
	require.True(t, *good.lists(good.listed[0]))
	require.False(t, *good.lists("claude-unheard-of"))
	bad := ask(server.URL, "sk-wrong-key-wrong-key")
	require.Equal(t, checkRefused, bad.Check)
	require.NotContains(t, bad.Detail, "sk-wrong")
	require.NotContains(t, bad.Detail, "slop models", "the advice to run this command")
	require.Nil(t, bad.lists("claude-unheard-of"), "a list that was not given says nothing")
	require.Equal(t, checkUnreachable, ask("http://127.0.0.1:1", llmtest.Key).Check)
	require.Equal(t, providerLine{Provider: anthropic.Name, Check: checkRefused, Detail: noKey}, ask("", ""),
		"without a key nobody is asked")
	silent := providerLine{Provider: "script"}
	silent.check(t.Context(), nil)
	require.Equal(t, checkUnknown, silent.Check)
}

func TestACheckLooksForProgramsAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Providers["claude_cli"] = config.Provider{Command: "/bin/sh"}
	c.Providers["codex_cli"] = config.Provider{Command: "/nowhere/codex"}
	c.Providers["openai"] = config.Provider{APIKeyEnv: "NOBODY_SET_THIS"}
	c.Tiers = map[string]config.Tier{"1": {Provider: "claude_cli"}, "2": {Provider: "codex-cli"},
		"3": {Provider: "openai"}, "4": {Provider: "acp"}}
	lines := []providerLine{newProviderLine(c, "acp", config.Credentials{}), newProviderLine(c, "claude_cli",
		config.Credentials{}), newProviderLine(c, "codex_cli", config.Credentials{}), newProviderLine(c, "openai",
		config.Credentials{})}
	checkProviderKeys(t.Context(), c, config.Providers(c, config.Credentials{}), lines)
	require.Equal(t, checkUnknown, lines[1].Check)
	require.Equal(t, "runs /bin/sh, whose login is not checked", lines[1].Detail)
	err := notWorking(c, lines)
	require.ErrorContains(t, err, "acp (tier 4): has no program; name an agent")
	require.ErrorContains(t, err, "codex_cli (tier 2): ")
	require.ErrorContains(t, err, "openai (tier 3): no key; set NOBODY_SET_THIS, which its api_key_env names")
	require.NotContains(t, err.Error(), "claude")
}

func TestAModelThatIsNotListedIsNamedWithTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	line := func(model string, listed *bool, tiers ...int) modelLine {
		return modelLine{ModelOffer: events.ModelOffer{Provider: "anthropic", Model: model}, Tiers: tiers, Listed: listed}
	}
	view := modelsView{
		Providers: []providerLine{{Provider: "anthropic", listed: []string{"claude-opus-5-5", "claude-sonnet-4-6"}}},
		Models: []modelLine{line("claude-sonet-4-6", &no, 1, 2), line("my-own", &no, 3), line("claude-opus-5-5", &yes, 4),
			line("unused", &no)},
	}
	require.Equal(t, []string{"anthropic lists no model claude-sonet-4-6 (tier 1,2); did you mean claude-sonnet-4-6?",
		"anthropic lists no model my-own (tier 3)"}, notListed(view))
}

func TestKeysAreNamedAndNeverShown(t *testing.T) {
	t.Parallel()
	c := config.Default()
	l := newProviderLine(c, "anthropic", config.Credentials{Keys: map[string]string{"anthropic": "sk-secret-secret"}})
	require.Equal(t, providerLine{Provider: "anthropic", Tiers: []int{}, Key: "credentials.toml", HasKey: true}, l)
	l = newProviderLine(c, "gemini", config.Credentials{Keys: map[string]string{"gemini": "sk-secret-secret"}})
	require.Equal(t, []int{1, 2, 3, 4}, l.Tiers)
	require.Equal(t, "its program's own login", newProviderLine(c, "claude_cli", config.Credentials{}).Key)
	require.Equal(t, "needs none", newProviderLine(c, "script", config.Credentials{}).Key)
}

func TestThePersonKnowsBetterThanTheTable(t *testing.T) {
	t.Parallel()
	price := func(n float64) *float64 { return &n }
	c := config.Default()
	c.Models = map[string]config.Model{
		"anthropic/claude-sonnet-4-5*": {Input: price(1.5), Output: price(7), CacheRead: price(0)},
		"MiniMax/local":                {ContextWindow: 5000},
		"anthropic/claude-*":           {MaxOutputTokens: 9}, "script/scripted": {Input: price(0), Output: price(0)},
	}
	offered := c.ModelsOffered(false)
	o, known := offered.Find("anthropic", "claude-sonnet-4-5-20250929")
	require.True(t, known)
	require.EqualValues(t, 200_000, o.ContextWindow, "what was not given stays as the table has it")
	require.EqualValues(t, 1_500_000, o.Prices[0].Input)
	require.Zero(t, *o.Prices[0].CacheRead)
	require.Nil(t, o.Prices[0].CacheWrite5m)
	o, _ = offered.Find("minimax", "local")
	require.EqualValues(t, 5000, o.ContextWindow)
	require.Empty(t, o.Prices)
	o, _ = offered.Find("anthropic", "claude-opus-5")
	require.EqualValues(t, 9, o.MaxOutputTokens, "a general row stands behind the particular one and before the table")
	o, _ = offered.Find("script", "scripted")
	require.Len(t, o.Prices, 1, "free is a known price")
	require.LessOrEqual(t, len(offered.Models), events.MaxModelOffers)
}

func TestABudgetOfNothingIsNone(t *testing.T) {
	t.Parallel()
	require.Nil(t, config.Budget{}.Settings())
	require.Equal(t, &events.BudgetSettings{SessionMicroDollars: 5_500_000}, config.Budget{Session: 5.5}.Settings())
	require.Equal(t, &events.BudgetSettings{TicketMicroDollars: 1}, config.Budget{Ticket: 0.0000001}.Settings(),
		"less than a micro-dollar is not no limit")
}

func TestTheTableOfModelsFitsATerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c, view := config.Default(), modelsView{}
	for _, name := range everyProvider(config.Providers(c, config.Credentials{})) {
		view.Providers = append(view.Providers, newProviderLine(c, name, config.Credentials{}))
	}
	view.Models = modelLines(c, view.Providers)
	printModelTable(&site.Flags{Terminal: term.Terminal{Out: &out}}, view.Models)
	table, sources, found := strings.Cut(out.String(), "\n\nThe figures are from:\n")
	require.True(t, found)
	lines := strings.Split(table, "\n")
	require.Len(t, lines, 1+len(view.Models))
	for _, line := range lines {
		require.LessOrEqual(t, term.Columns(line), 80, line)
	}
	require.Contains(t, sources, "  1  "+view.Models[0].AsOf+"  "+view.Models[0].Source+"\n")
}
