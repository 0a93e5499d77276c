package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrongKeysAndTypesAreReportedWithLineAndHint(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"near key", "[mma]\nmax_worker = 3\n", "2: unknown key `mma.max_worker`; did you mean `max_workers`?"},
		{"swapped letters", "[mma]\nmax_wrokers = 3\n", "2: unknown key `mma.max_wrokers`; did you mean `max_workers`?"},
		{"other case", "[mma]\nMax_Workers = 3\n", "2: unknown key `mma.Max_Workers`; did you mean `max_workers`?"},
		{"near section", "\n\n[shel]\ntimeout_s = 3\n", "3: unknown key `shel`; did you mean `shell`?"},
		{"right key in the wrong section", "[shell]\nmax_workers = 3\n", "2: unknown key `shell.max_workers`; did you mean " +
			"`mma.max_workers`?"},
		{"nothing near", "[hooks]\nzzzzzzzzzz = 3\n", "2: unknown key `hooks.zzzzzzzzzz`; valid here: listen, " +
			"generate_timeout_s, auth"},
		{"key at the top", "replicas = 3\n", "1: unknown key `replicas`; did you mean `bus.replicas`?"},
		{"fifth tier", "[tiers.5]\nmodel = \"m\"\n", "1: unknown key `tiers.5`; valid names are 1, 2, 3, 4, all"},
		{"key of a tier", "[tiers.3]\nmodle = \"m\"\n", "2: unknown key `tiers.3.modle`; did you mean `model`?"},
		{"name of a provider", "[providers.\"a b\"]\n", "1: unknown key `providers.a b`; a name has 1 to 64 letters, " +
			"digits, dashes and underscores"},
		{"key of a rule", "[[rules]]\ntool = \"a\"\ndenny = true\n", "3: unknown key `rules.0.denny`; did you mean `deny`?"},
		{"inline table", "mma = { max_worker = 3 }\n", "1: unknown key `mma.max_worker`; did you mean `max_workers`?"},
		{"dotted", "mma.max_worker = 3\n", "1: unknown key `mma.max_worker`; did you mean `max_workers`?"},
		{"text for a number", "[mma]\nmax_workers = \"3\"\n", "2: `mma.max_workers` must be a whole number, not a string"},
		{"fraction for a number", "[mma]\nmax_workers = 3.0\n",
			"2: `mma.max_workers` must be a whole number, not a fraction"},
		{"number for a flag", "[mma]\nstep_mode = 1\n", "2: `mma.step_mode` must be true or false, not a whole number"},
		{"flag for a text", "[bus]\nurl = true\n", "2: `bus.url` must be a string, not true"},
		{"date for a text", "[bus]\nurl = 2026-01-01\n", "2: `bus.url` must be a string, not a date or time"},
		{"text for a list", "[mcp]\nblacklist = \"x\"\n", "2: `mcp.blacklist` must be a list of strings, not a string"},
		{"mixed list", "[mcp]\nblacklist = [\"x\", 1]\n", "2: `mcp.blacklist` must be a list of strings, not such a list"},
		{"list for a table", "[[mma]]\n", "1: `mma` must be a table, not a list of tables"},
		{"value for a table", "mma = 3\n", "1: `mma` must be a table, not a whole number"},
		{"table for a value", "[mma.max_workers]\nx = 1\n", "1: `mma.max_workers` must be a whole number, not a table"},
		{"below a value", "[mma]\nmax_workers.x = 1\n", "2: `mma.max_workers` must be a whole number, not a table; see " +
			"docs/config.md"},
		{"table for rules", "[rules]\ntool = \"a\"\n", "1: `rules` must be a list of tables, not a table"},
		{"false rule", "[[rules]]\ntool = \"a\"\ndeny = false\n", "3: `rules.0.deny` must be true or a list of strings, " +
			"not false"},
		{"empty rule", "[[rules]]\ntool = \"a\"\ndeny = []\n", "3: `rules.0.deny` must be true or a list of strings, not " +
			"an empty list"},
		{"number in a header", "[providers.a]\nheaders = { X = 1 }\n", "2: `providers.a.headers.X` must be a string, not a " +
			"whole number"},
		{"no TOML", "[mma]\nmax_workers =\n", "2: "},
		{"not closed", "[mma]\n\n[mcp\n", "3: "},
		{"an open text", "[bus]\nurl = \"x\n", "2: "},
		{"the same key twice", "[mma]\nmax_workers = 1\nmax_workers = 2\n", "3: "},
		{"number beyond 64 bits", "[bus]\nmax_bytes = 99999999999999999999\n", "2: "},
		{"several mistakes", "[hooks]\na_b_c = 1\nlisten = 1\n[bus]\nurls = \"x\"\n",
			"2: unknown key `hooks.a_b_c`; valid here: listen, generate_timeout_s, auth\nFILE:3: `hooks.listen` must be a " +
				"string, not a whole number\nFILE:5: unknown key `bus.urls`; did you mean `url`?"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			configs := newLoadCase(t)
			_, err := configs.load(c.text, "", "")
			var wrong *Error
			require.ErrorAs(t, err, &wrong)
			got := strings.ReplaceAll(err.Error(), filepath.Join(configs.UserDir, "config.toml"), "FILE")
			if strings.HasSuffix(c.want, ": ") {
				require.True(t, strings.HasPrefix(got, "FILE:"+c.want), got)
				return
			}
			require.Equal(t, "FILE:"+c.want, got)
		})
	}
}

func TestLinesCountBehindAByteOrderMarkAndCarriageReturns(t *testing.T) {
	t.Parallel()
	_, err := newLoadCase(t).load("\xef\xbb\xbf# first\r\n[mma]\r\nmax_worker = 1\r\n", "", "")
	var wrong *Error
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, 3, wrong.Line)
	require.Equal(t, "mma.max_worker", wrong.Key)
	require.Equal(t, ConfigUnknownKey, wrong.Kind)
}

func TestReportedMistakesAreBounded(t *testing.T) {
	t.Parallel()
	mistakes := func(n int) int {
		_, err := newLoadCase(t).load(strings.Join(numbered(n), "\n"), "", "")
		require.Error(t, err)
		return strings.Count(err.Error(), "\n") + 1
	}
	require.Equal(t, maxMistakes, mistakes(maxMistakes))
	require.Equal(t, maxMistakes, mistakes(maxMistakes+1))
}

func numbered(n int) []string {
	lines := texts(n)
	for i := range lines {
		lines[i] += " = 1"
	}
	return lines
}

func TestKeysOfAFileAreBounded(t *testing.T) {
	t.Parallel()
	read := func(headers int) error {
		_, err := newLoadCase(t).load("[providers.a.headers]\n"+strings.Join(numbered(headers), "\n"), "", "")
		return err
	}
	require.ErrorContains(t, read(maxConfigKeys-1), "must be a string")
	require.ErrorContains(t, read(maxConfigKeys), "has more than 4096 keys")
}

func TestNearestKeyIsFoundOnlyWhenNear(t *testing.T) {
	t.Parallel()
	require.Equal(t, 0, EditDistance("abc", "abc"))
	require.Equal(t, 0, EditDistance("ABC", "abc"))
	require.Equal(t, 3, EditDistance("", "abc"))
	require.Equal(t, 2, EditDistance("kitten", "sittens"))
	long := strings.Repeat("a", maxComparedName)
	require.Equal(t, 1, EditDistance(long, long[1:]))
	require.Equal(t, maxComparedName+1, EditDistance(long+"a", long))
	require.Nil(t, nearest("zzz", testSchema().children))
}

func FuzzConfigNeverPanicsAndNeverWidens(f *testing.F) {
	for _, c := range projectCases {
		f.Add(c.key + "=1\n" + c.allowed + "\n" + c.refused)
	}
	f.Add("[[rules]]\ntool='*'\nallow=true\n[[rules.x]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		if os.WriteFile(filepath.Join(dir, "slop.toml"), []byte(text), 0o600) != nil {
			return
		}
		got, err := Load(Sources{ProjectDir: dir, UserDir: filepath.Join(dir, "nobody")})
		if err != nil {
			var wrong *Error
			require.ErrorAs(t, err, &wrong)
			return
		}
		want := Default()
		require.Equal(t, want.Bus, got.Bus)
		require.Equal(t, want.Hooks, got.Hooks)
		require.Empty(t, got.Providers)
		require.Empty(t, got.Net.AllowHosts)
		require.LessOrEqual(t, got.MMA.MaxWorkers, want.MMA.MaxWorkers)
		require.Empty(t, got.User.Name)
		for _, rule := range got.Rules {
			action, _ := rule.Action()
			require.Contains(t, []RuleAction{RuleAsk, RuleDeny}, action)
		}
	})
}
