package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARuleIsAddedToTheEndOfTheFile(t *testing.T) {
	t.Parallel()
	c := newLoadCase(t)
	file := filepath.Join(c.UserDir, "config.toml")
	for i, r := range []struct {
		tool     string
		patterns []string
	}{{"run_powershell", []string{"go test *", `.\a.ps1`}}, {"web_search", nil}, {"edit_file", []string{`a "b".go`}}} {
		origin, err := AppendRule(file, r.tool, r.patterns)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		got, err := Load(c.Sources)
		require.NoError(t, err)
		require.Len(t, got.Rules, i+1)
		require.Equal(t, Rule{Tool: r.tool, Allow: RuleScope{All: r.patterns == nil, Globs: r.patterns}, Origin: origin},
			got.Rules[i])
		require.NoError(t, os.WriteFile(file, text[:len(text)-1], 0o600), "a file whose last line has no end")
	}
}

func TestAFileThatTakesNoRuleIsLeftAlone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, text := range []string{"rules = []\n", "[[rules]\n", "[a]\nb = \"\"\"\n"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := AppendRule(file, "edit_file", nil)
		require.ErrorContains(t, err, "cannot append a rule to")
		left, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, string(left))
	}
	require.NoError(t, os.WriteFile(file, []byte("[user]\nname = \"ada\"\n"), 0o600))
	full := make([]string, 300)
	for i := range full {
		full[i] = strings.Repeat("a", 1000)
	}
	for why, patterns := range map[string][]string{
		"empty entry": {"x", ""}, "valid globs": {"x", "["}, "control character": {"a\nb"},
		"larger than 262144 bytes": full, "more than the limit of 1000": slices.Repeat([]string{"a"}, 1001),
	} {
		_, err := AppendRule(file, "edit_file", patterns)
		require.ErrorContains(t, err, why)
		left, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "[user]\nname = \"ada\"\n", string(left))
	}
	_, err := AppendRule(t.TempDir(), "edit_file", nil)
	require.ErrorContains(t, err, "read the configuration")
}
