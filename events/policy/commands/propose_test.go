package commands_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events/policy/commands"
)

func TestProposedPatternsCoverTheScriptAndLittleElse(t *testing.T) {
	t.Parallel()
	tests, err := commands.ParseAllow("go test *")
	require.NoError(t, err)
	for script, want := range map[string][]string{
		"go vet ./...":                     {"go vet *"},
		"go test ./... && git status":      {"git status *"},
		"git log --oneline -3; git log -5": {"git log *"},
		"rm -rf x":                         {"rm -rf x"},
		"cat 'a b'":                        nil, // a pattern has no blank within a word
		"python3 -m unittest discover":     {"python3 -m unittest *"},
		"python3 tests/run.py":             {"python3 tests/run.py"},
		"sudo apt-get update":              {"sudo apt-get update"},
		"make test && ls":                  {"make test", "ls"},
		"go test -exec rm ./...":           {"go test -exec rm ./..."},
		"FOO=1 go vet ./...":               {"FOO=1 go vet *"},
		"nohup go vet ./...":               {"go vet *"},
		"sh -c 'go vet ./...'":             {"go vet *"},
		"echo a > b":                       nil,
		`eval "$x"`:                        nil,
		"echo '*'":                         nil,
		"go test ./...":                    nil,
		"# nothing":                        nil,
	} {
		s := commands.Read(script, "bash")
		got, ok := s.Propose([]commands.Pattern{tests})
		require.Equal(t, want != nil, ok, script)
		require.Equal(t, want, got, script)
		patterns := []commands.Pattern{tests}
		for _, text := range got {
			p, err := commands.ParseAllow(text)
			require.NoError(t, err)
			patterns = append(patterns, p)
		}
		_, _, missing := s.Uncovered(patterns)
		require.Equal(t, !ok && script != "go test ./...", missing, script)
	}
}
