package llmtest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/llmtest"
)

// tierPrompt is the system prompt of a tier as the program has it.
func tierPrompt(t *testing.T, tier string) string {
	t.Helper()
	b, err := os.ReadFile("../../" + tier + "/system.md")
	require.NoError(t, err)
	return string(b)
}

// TestAScriptPlaysOnTheWire finds tier, track and ticket in what a prompt shows.
func TestAScriptPlaysOnTheWire(t *testing.T) {
	t.Parallel()
	s := llmtest.Anthropic(t, llmtest.Options{Script: strings.Join([]string{
		`{"tier":1,"reply":{"text":"A"}}`, `{"tier":2,"track":"TR-2","reply":{"text":"B"}}`,
		`{"tier":3,"track":"TR-2","ticket":"T-002","contains":"FAIL","reply":{"text":"C"}}`,
		`{"tier":3,"ticket":"T-002","reply":{"text":"D"}}`, `{"tier":4,"ticket":"T-001","reply":{"text":"E"}}`,
		`{"tier":1,"reply":{"error":{"kind":"rate_limited","retry_after_ms":250}}}`,
	}, "\n")})
	ask := func(tier, prompt string) (int, string) {
		q := valid()
		q["system"] = []any{text(tierPrompt(t, tier))}
		q["messages"] = []any{said("user", text(prompt))}
		return post(t, s, q)
	}
	for _, c := range []struct {
		tier, prompt, says string
		code               int
	}{
		{"lead", "# Track brief\n\nTR-1: other", "script exhausted", 400},
		{"contributor", "# Ticket T-002\n\nMend it.", `"text":"D"`, 200},
		{"contributor", "# Ticket T-002\n\nIt says FAIL.", `"text":"C"`, 200},
		{"lead", "# Track brief\n\nTR-2: x", `"text":"B"`, 200},
		{"planner", "# Goal", `"text":"A"`, 200},
		{"qa", "exit code 1", `"text":"E"`, 200},
		{"planner", "# Goal again", "rate_limit_error", 429},
		{"planner", "# Goal once more", "script exhausted", 400},
	} {
		code, body := ask(c.tier, c.prompt)
		require.Equal(t, c.code, code, body)
		require.Contains(t, body, c.says, c.tier)
	}
	_, _, err := llmtest.Start(llmtest.Options{Vendor: "anthropic", Script: `{"tier":9}`})
	require.Error(t, err)
	_, _, err = llmtest.Start(llmtest.Options{Vendor: "nobody"})
	require.Error(t, err)
}
