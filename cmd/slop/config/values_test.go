package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValuesAreCheckedForTheirForm(t *testing.T) {
	t.Parallel()
	cases := []struct {
		path      string
		good, bad []any
	}{
		{
			"hooks.listen",
			[]any{"127.0.0.1:0", "localhost:8999", "[::1]:65535"},
			[]any{"", "127.0.0.1", "0.0.0.0:8999", ":8999", "192.168.0.1:1", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http",
				"localhost.evil.example:1"},
		},
		{"bus.listen", []any{"", "0.0.0.0:4222", "127.0.0.1:0"}, []any{":4222", "4222", "h:65536"}},
		{
			"bus.url",
			[]any{"", "nats://h:4222", "nats://a:1, tls://b:2,wss://c", strings.Repeat("nats://h:1,", maxServers-1) +
				"nats://h:1"},
			[]any{"h:4222", "http://h", "nats://", "nats://user:pass@h:1", "nats://a:1,", strings.Repeat("nats://h:1,",
				maxServers) + "nats://h:1"},
		},
		{
			"net.allow_hosts",
			[]any{[]string{"a.example", "*.b.example", "localhost:8080", "10.0.0.1", "10.0.0.1:80", "::1", "[::1]:80"}},
			[]any{[]string{"*"}, []string{"a.*"}, []string{"http://a"}, []string{"a/b"}, []string{"a b"}, []string{"a:0"},
				[]string{"a:65536"}, []string{"*.*.a"}, []string{"10.0.0.0/8"}, []string{strings.Repeat("a.", 127)}},
		},
		{"net.search_url", []any{"", "https://search.example/html/", "http://127.0.0.1:8080/?a=b"}, []any{"search.example",
			"ftp://a", "https://", "https://u:p@a", "https://a/#b"}},
		{"retrieval.provider", []any{"gemini", "openai", "OpenAI", "llama"}, []any{"", "anthropic", "deepseek",
			"gemini_cli", "nobody"}},
		{"retrieval.model", []any{"", strings.Repeat("m", 256)}, []any{strings.Repeat("m", 257)}},
		{"retrieval.top_k", []any{1, 20}, []any{0, 21}},
		{"mcp.blacklist", []any{[]string{"*.pem", "**/x"}}, []any{[]string{"["}}},
		{"tiers.1.provider", []any{"gemini", "llama.cpp", "MiniMax"}, []any{"", "a b", "a/b", strings.Repeat("p", 65)}},
		{"tiers.1.model", []any{"m"}, []any{""}},
		{
			"providers.local.base_url",
			[]any{"", "https://h/v1", "http://127.0.0.1:1", "http://[::1]:1", "http://lan.example"},
			[]any{"h", "ftp://h", "https://", "https://u:p@h", "https://h?key=1", "https://h#x"},
		},
		{"providers.local.api_key_env", []any{"", "MY_KEY", "A" + strings.Repeat("x", 127)}, []any{"sk-123", "1A", "A=B",
			"A" + strings.Repeat("x", 128)}},
		{"providers.local.command", []any{""}, []any{"/opt/gemini"}},
		{"providers.gemini_cli.command", []any{"", "/opt/my tools/gemini", `C:\gemini.cmd`}, []any{"gemini", "./gemini",
			"~/gemini", "bin/gemini"}},
		{"providers.gemini_cli.tools", []any{"", "mcp", "text"}, []any{"none"}},
		{"providers.local.tools", []any{""}, []any{"text"}},
		{"providers.gemini_cli.args", []any{[]string(nil)}, []any{[]string{"--yolo"}}},
		{"user.name", []any{"", "ann", "Ann-1_x"}, []any{"a b", "a.b", "conductor", "gateway", "worker-1", "agent-x",
			strings.Repeat("x", 300)}},
	}
	for _, c := range cases {
		for _, good := range c.good {
			require.NoError(t, withValue(c.path, good).Validate(), "%s = %v", c.path, good)
		}
		for _, bad := range c.bad {
			var wrong *Error
			require.ErrorAs(t, withValue(c.path, bad).Validate(), &wrong, "%s = %v", c.path, bad)
			require.Equal(t, c.path, wrong.Key)
		}
	}
}

func TestKeysAndHeadersTravelOnlyEncryptedBeyondThisMachine(t *testing.T) {
	t.Parallel()
	for _, p := range []Provider{
		{BaseURL: "http://lan.example", APIKeyEnv: "KEY"},
		{BaseURL: "http://lan.example", Headers: map[string]string{"X": "y"}},
	} {
		c := Default()
		c.Providers["p"] = p
		require.Error(t, c.Validate())
		p.BaseURL = "http://localhost:1"
		c.Providers["p"] = p
		require.NoError(t, c.Validate())
	}
}

func TestHeadersAreWellFormed(t *testing.T) {
	t.Parallel()
	for header, value := range map[string]string{"X: y": "v", "": "v", "X": "a\r\nB: c", strings.Repeat("h", 129): "v"} {
		c := Default()
		c.Providers["p"] = Provider{Headers: map[string]string{header: value}}
		require.Error(t, c.Validate(), header)
	}
}

func TestScriptedTierNeedsNoModel(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Tiers["1"] = Tier{Provider: "script", MaxOutputTokens: 1, MaxRounds: 1}
	require.NoError(t, c.Validate())
}

func TestATiersProviderIsOneThatThereIs(t *testing.T) {
	t.Parallel()
	with := func(provider string, own map[string]Provider) error {
		c := Default()
		c.Tiers["3"] = Tier{Provider: provider, Model: "m", MaxOutputTokens: 1, MaxRounds: 1}
		c.Providers = own
		return c.Validate()
	}
	for _, name := range []string{"anthropic", "gemini", "gemini-cli", "GEMINI_CLI", "claude_cli", "codex-cli", "acp",
		"MiniMax", "llama_cpp", "script"} {
		require.NoError(t, with(name, nil), name)
	}
	err := with("antropic", nil)
	require.ErrorContains(t, err, "antropic")
	require.ErrorContains(t, err, "anthropic, claude_cli, codex_cli", "what there is")
	require.NoError(t, with("antropic", map[string]Provider{"antropic": {Kind: "openai",
		BaseURL: "http://127.0.0.1:1/v1"}}))
}

func TestMissingAndFurtherTiersAreInvalid(t *testing.T) {
	t.Parallel()
	c := Default()
	delete(c.Tiers, "2")
	require.Error(t, c.Validate())
	c = Default()
	c.Tiers["5"] = c.Tiers["1"]
	require.Error(t, c.Validate())
}

func TestRulesHaveExactlyOneAction(t *testing.T) {
	t.Parallel()
	all := RuleScope{All: true}
	for _, rule := range []Rule{
		{Tool: "x"}, {Tool: "x", Allow: all, Deny: all}, {Tool: "x", Ask: all, Deny: all}, {Tool: "x", Allow: all, Ask: all,
			Deny: all},
		{Deny: all}, {Tool: "[", Deny: all}, {Tool: "x", Deny: RuleScope{Globs: []string{"["}}},
		{Tool: "x", Deny: RuleScope{Globs: []string{""}}},
	} {
		c := Default()
		c.Rules = []Rule{rule}
		require.Error(t, c.Validate(), "%+v", rule)
	}
}

func TestPatternsOverCommandsThatNeverMatchAreErrors(t *testing.T) {
	t.Parallel()
	check := func(r Rule) string {
		c := Default()
		c.Rules = []Rule{r}
		if err := c.Validate(); err != nil {
			return err.Error()
		}
		return ""
	}
	scope := func(patterns ...string) RuleScope { return RuleScope{Globs: patterns} }
	require.Empty(t, check(Rule{Tool: "run_powershell", Allow: scope("go test ./...", "[ -f * ]")}))
	require.Empty(t, check(Rule{Tool: "run_powershell", Deny: scope("*sudo *", "{a")}))
	require.Empty(t, check(Rule{Tool: "*", Deny: scope("docs/**")}))
	require.Empty(t, check(Rule{Tool: "{edit_file,run_powershell}", Allow: scope("src/**")}))
	require.Contains(t, check(Rule{Tool: "run_powershell", Allow: scope("go test", "go test && go vet")}),
		"one simple command")
	require.Contains(t, check(Rule{Tool: "run_powershell", Allow: scope("*")}), "must begin with the name of a program")
	require.Contains(t, check(Rule{Tool: "run_powershell", Allow: scope(" ")}), "it is empty")
	require.Contains(t, check(Rule{Tool: "run_powershell", Deny: scope(`rm "x"`)}), "without quotes")
	require.Contains(t, check(Rule{Tool: "run_*", Allow: scope("go test")}), `must be "run_powershell" to have patterns`)
}

func TestAGlobOfARuleIsMatchedInBoundedTime(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"*", "py_*", "{read,write}_{file,dir}", "**/*.{go,md}"} {
		require.True(t, plainGlob(pattern), pattern)
	}
	for _, pattern := range []string{"[", "{a", "{a,b}{a,b}{a,b}", strings.Repeat("{a,aa,*}", 16) + "b",
		"{" + strings.Repeat("a,", 64) + "b}"} {
		require.False(t, plainGlob(pattern), pattern)
		c := Config{Rules: []Rule{{Tool: pattern, Deny: RuleScope{All: true}}}}
		require.NotEmpty(t, checkRules(c), pattern)
	}
	require.NotEmpty(t, checkBlacklist(Config{MCP: MCP{Blacklist: []string{strings.Repeat("{a,aa,*}", 16) + "b"}}}))
}
