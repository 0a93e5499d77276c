package commands_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events/policy/commands"
)

func TestPatternsThatNeverMatchAreErrors(t *testing.T) {
	t.Parallel()
	for pattern, why := range map[string]string{
		"":                   "it is empty",
		" \t":                "it is empty",
		"*":                  "it must begin with the name of a program",
		"go* test":           "it must begin with the name of a program",
		"go test && go vet":  "one simple command without quotes",
		"go test | tee":      "one simple command without quotes",
		"go test > out":      "one simple command without quotes",
		"echo $(ls)":         "one simple command without quotes",
		`git commit -m "x"`:  "one simple command without quotes",
		"go test; go vet":    "; separates commands",
		"go test\ngo vet":    "control or invisible characters",
		"go test \u202e":     "control or invisible characters",
		"timeout 60 go test": "compared with the program that finally runs",
		"env FOO=1 go test":  "env sets a variable",
		"CI=1 go test":       "compared with the program that finally runs",
		"FOO=1":              "it sets a variable",
		"sh -c *":            "compared with the program that finally runs",
		"eval *":             "compared with the program that finally runs",
		"sudo *":             "compared with the program that finally runs",
		"xargs rm *":         "compared with the program that finally runs",
		"bash":               "bash runs what it reads",
		"python3":            "python3 runs what it reads",
		"alias *":            "alias changes what later commands run",
		"trap x EXIT":        "trap changes what later commands run",
		"nohup":              "nohup runs an unknown command",
		"ｇｏ test":            "which program it runs",
		strings.Repeat("a", commands.MaxPattern+1): "more than 1000",
	} {
		_, err := commands.ParseAllow(pattern)
		require.ErrorIs(t, err, commands.ErrPattern, pattern)
		require.ErrorContains(t, err, why, pattern)
	}
	for _, pattern := range []string{"go test ./...", "go test *", "python3 -m unittest*", "make", "FOO=1 go test *",
		"sudo apt-get update", "bash build.sh", "find . -exec rm {} ;", "find *", `.\build.ps1 *`, "git -C * status",
		strings.Repeat("a", commands.MaxPattern)} {
		_, err := commands.ParseAllow(pattern)
		require.NoError(t, err, pattern)
	}
	for _, pattern := range []string{"*", "*rm*", "sudo *", "sh -c *", "eval *", "bash", "timeout *"} {
		_, err := commands.ParseRefuse(pattern)
		require.NoError(t, err, pattern)
	}
	for _, pattern := range []string{"", "a && b", "a; b", `rm "x"`} {
		_, err := commands.ParseRefuse(pattern)
		require.ErrorIs(t, err, commands.ErrPattern, pattern)
	}
}

func TestTheCommandThatNoPatternCoversIsNamed(t *testing.T) {
	t.Parallel()
	var patterns []commands.Pattern
	for _, text := range []string{"go test *", "git status"} {
		p, err := commands.ParseAllow(text)
		require.NoError(t, err)
		patterns = append(patterns, p)
	}
	_, used, missing := commands.Read("go test ./a && git status; go test ./b", "bash").Uncovered(patterns)
	require.False(t, missing)
	require.Equal(t, []int{0, 1, 0}, used)
	for script, want := range map[string]string{
		"go test ./a && rm -rf x && mv a b": "rm -rf x",
		"go test ./a; rm '-rf'   \"$x\"":    "rm -rf …",
		"go test ./a > out":                 "> out",
		"FOO=1 git status":                  "FOO=1 git status",
	} {
		c, _, missing := commands.Read(script, "bash").Uncovered(patterns)
		require.True(t, missing, script)
		require.Equal(t, want, c.String())
	}
	c, _, missing := commands.Read("go test ./a (", "bash").Uncovered(patterns)
	require.True(t, missing)
	require.Equal(t, "the script is not valid for the shell", c.Unclear)
}

func TestLongAndDeepScriptsAreNotRead(t *testing.T) {
	t.Parallel()
	pattern, err := commands.ParseAllow("echo *")
	require.NoError(t, err)
	covered := func(script string) bool {
		_, _, missing := commands.Read(script, "bash").Uncovered([]commands.Pattern{pattern})
		return !missing
	}
	longest := "echo " + strings.Repeat("a", commands.MaxScript-len("echo "))
	require.True(t, covered(longest))
	require.False(t, covered(longest+"a"))
	require.True(t, covered("eval eval eval eval echo a"))
	require.False(t, covered("eval eval eval eval eval echo a"))
	require.False(t, covered(strings.Repeat("(", commands.MaxScript-10)+"echo a"))
	require.False(t, covered(strings.Repeat("$(", commands.MaxScript/2-10)))
	require.False(t, covered(strings.Repeat("{ ", commands.MaxScript/2-10)))
}
