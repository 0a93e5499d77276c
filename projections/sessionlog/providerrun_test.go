package sessionlog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestTheRunOfAProvidersProgramIsRecorded(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.by("ada", opened())
	exit := 3
	asks := func() string {
		return s.by(events.ActorPlanner, events.ModelRequested{StreamID: "Tier 1", Attempt: 1, Tier: 1,
			Provider: "gemini_cli", Model: "m", Command: "/opt/my gemini", SHA256: "cd"})
	}
	run := events.CLICall{Command: []string{"/opt/my gemini", "--model", "m"}, StdinSHA256: "ab", StdinSize: 9,
		Stdout: "{}\n", Stderr: "oh", LatencyMS: 1500, Session: "s-1", OwnTools: []string{"glob"}}
	s.by(events.ActorModels, events.ModelReplied{Request: asks(), Text: "ok", Finish: "stop", CLI: &run})
	run.Exit, run.OwnTools = &exit, nil
	s.by(events.ActorModels, events.ModelFailed{Request: asks(), Kind: events.ModelIncomplete, Message: "no end",
		CLI: &run})
	s.by(events.ActorModels, events.ModelReplied{Request: asks(), Text: "ok", Finish: "stop"})
	require.Equal(t, []string{
		`{"ts":"2026-01-02T03:04:03.250Z","timestamp":"2026-01-02T03:04:03.250Z","id":"E3","call":"E2","command":"\"/opt/my gemini\" --model m","stdin":"","stdin_sha256":"ab","stdin_size":9,` +
			`"stdout":"{}\n","stderr":"oh","exit_code":null,"outcome":"stop","session":"s-1","own_tools":["glob"],"latency":1.5}`,
		`{"ts":"2026-01-02T03:04:05.250Z","timestamp":"2026-01-02T03:04:05.250Z","id":"E5","call":"E4","command":"\"/opt/my gemini\" --model m","stdin":"","stdin_sha256":"ab","stdin_size":9,` +
			`"stdout":"{}\n","stderr":"oh","exit_code":3,"outcome":"incomplete","session":"s-1","latency":1.5}`,
	}, strings.Split(strings.TrimSuffix(s.files["clicalls.log"], "\n"), "\n"))
	require.NotContains(t, s.files["comms.log"], "stdin_sha256", "a run is told once")
}
