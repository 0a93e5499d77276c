package commands_test

import (
	"bufio"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events/policy/commands"
)

var show = flag.Bool("show", false, "print the corpus with the verdicts of now")

// rule is a rule of the corpus.
type rule struct{ action, name, pattern string }

// row is a script with the rules that do not stay silent about it, each behind +, - or ?.
type row struct {
	line          int
	shell, script string
	want          map[string]string
}

// corpus reads testdata/corpus.txt, whose head describes it.
func corpus(t testing.TB) (rules []rule, rows []row) {
	t.Helper()
	f, err := os.Open("testdata/corpus.txt")
	require.NoError(t, err)
	defer f.Close()
	shell, n := "bash", 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		n++
		line := lines.Text()
		switch first, rest, _ := strings.Cut(line, " "); {
		case strings.HasPrefix(line, "#") || line == "":
		case first == "allow" || first == "deny" || first == "ask":
			name, pattern, _ := strings.Cut(strings.TrimSpace(rest), " ")
			rules = append(rules, rule{first, name, strings.TrimSpace(pattern)})
		case first == "shell":
			shell = rest
		default:
			verdicts, script, found := strings.Cut(line, "| ")
			require.True(t, found, "line %d has no |", n)
			if strings.HasPrefix(script, `"`) {
				script, err = strconv.Unquote(script)
				require.NoError(t, err, "line %d", n)
			}
			rows = append(rows, row{n, shell, script, expected(t, rules, strings.Fields(verdicts))})
		}
	}
	return rules, rows
}

// expected gives each rule its sign; ?* stands for every rule that denies or asks and is not named.
func expected(t testing.TB, rules []rule, signs []string) map[string]string {
	t.Helper()
	want := map[string]string{}
	for _, s := range signs {
		for _, r := range rules {
			if named := s[1:] == r.name; named || s == "?*" && r.action != "allow" && want[r.name] == "" {
				want[r.name] = s[:1]
			}
		}
		require.True(t, s == "?*" || want[s[1:]] != "", "no rule %s", s)
	}
	return want
}

// verdict is the sign of one rule for a script: + allow, - deny, ? ask, empty for silent.
func verdict(t testing.TB, r rule, s commands.Script) string {
	t.Helper()
	if r.action == "allow" {
		p, err := commands.ParseAllow(r.pattern)
		require.NoError(t, err, r.pattern)
		if _, _, missing := s.Uncovered([]commands.Pattern{p}); missing {
			return ""
		}
		return "+"
	}
	p, err := commands.ParseRefuse(r.pattern)
	require.NoError(t, err, r.pattern)
	switch hit := p.Hit(s); {
	case hit == commands.Hits && r.action == "deny":
		return "-"
	case hit != commands.Misses:
		return "?"
	}
	return ""
}

// Half of the commands try to slip through; what FuzzRead adds to the corpus is read in the same way.
func TestThirtyRulesJudgeThreeHundredCommandsAsTheCorpusSays(t *testing.T) {
	t.Parallel()
	rules, rows := corpus(t)
	require.Len(t, rules, 30)
	require.GreaterOrEqual(t, len(rows), 300)
	for _, row := range rows {
		script := commands.Read(row.script, row.shell)
		var now []string
		for _, r := range rules {
			got := verdict(t, r, script)
			if got != "" {
				now = append(now, got+r.name)
			}
			if !*show && got != row.want[r.name] {
				t.Errorf("corpus.txt:%d: rule %s says %q, want %q, of %q", row.line, r.name, got, row.want[r.name], row.script)
			}
		}
		if *show {
			t.Logf("%d %s | %q", row.line, strings.Join(now, " "), row.script)
		}
	}
}

// FuzzRead reads whatever a model may write. What a script hides from the reader is never allowed.
func FuzzRead(f *testing.F) {
	rules, rows := corpus(f)
	for _, r := range rows {
		f.Add(r.script, "go test *")
	}
	for _, r := range rules {
		f.Add("go test ./...", r.pattern)
	}
	f.Fuzz(func(t *testing.T, script, pattern string) {
		for _, shell := range []string{"bash", "sh", "pwsh"} {
			read := commands.Read(script, shell)
			allow, err := commands.ParseAllow(pattern)
			if err == nil {
				_, _, missing := read.Uncovered([]commands.Pattern{allow})
				hidden := commands.Read(script+"\nhidden-program x", shell)
				_, _, still := hidden.Uncovered([]commands.Pattern{allow})
				if !missing && !still && !strings.HasPrefix(pattern, "hidden-program") && !strings.Contains(script, "<<") &&
					!strings.HasSuffix(script, "\\") {
					t.Fatalf("%q allows a second command behind %q in %s", pattern, script, shell)
				}
			}
			if refuse, err := commands.ParseRefuse(pattern); err == nil {
				refuse.Hit(read)
			}
		}
	})
}
