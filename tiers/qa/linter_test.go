package qa_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/qa"
	"manualslop/tiers/tierstest"
)

// ranScript is a session in which c1 runs a script.
func ranScript(t testing.TB, script string) []events.Payload {
	t.Helper()
	args, err := json.Marshal(map[string]string{"script": script})
	require.NoError(t, err)
	open := opened()
	return append(open[:len(open)-1], events.ToolApproved{Call: "c1", Tool: "run_powershell", Ticket: "T-1",
		ArgsSHA256: "ab", Generation: 1, Args: args})
}

func TestAFailedLinterGetsAHintThatNamesTheFix(t *testing.T) {
	t.Parallel()
	hints := func(text string) []events.Payload {
		return given(events.HintGiven{Call: "c1", Ticket: "T-1", Hint: text})
	}
	long := strings.Repeat("x", qa.MaxHint)
	var all scenarios
	for _, c := range []struct{ script, output, says, want string }{
		{"ruff check src", "F401", "a.py:1: F401, os is not used.", "a.py:1: F401, os is not used. Fix: ruff check --fix"},
		{"cd x && npx eslint .", "boom", "no-var in a.js.", "no-var in a.js. Fix: eslint --fix ."},
		{"set -e\n/usr/local/bin/gofmt -l .", "boom", "a.go is not formatted.", "a.go is not formatted. Fix: gofmt -w ."},
		{"cargo fmt --check", "boom", "x", "x Fix: cargo fmt"},
		{"black .", "boom", "run black .", "run black ."},
		{"pre-commit run --all-files", "boom", "x", "x Fix: stage what the hook changed and run it again"},
		{"git commit -m x", "black....Failed\n- hook id: black", "x", "x Fix: stage what the hook changed and run it again"},
		{"black .", "boom", long, long[:qa.MaxHint-len(" Fix: black .")] + "… Fix: black ."},
		{"git commit -m x", "nothing to commit", "x", "x"},
		{"mypy .", "boom", "x", "x"},
		{"./blackbox.sh", "boom", "x", "x"},
		{"go test ./...", "boom", "x", "x"},
		{strings.Repeat(" ", 16<<10) + "black .", "boom", "x", "x"},
		{strings.Repeat(" ", 16<<10-5) + "black .", "boom", "x", "x Fix: black ."},
	} {
		all = append(all, tierstest.Scenario{Name: c.script[max(0, len(c.script)-30):] + ": " + c.output,
			Given: given(ranScript(t, c.script), settled(stderr(c.output))), When: reply(c.says), Then: hints(c.want)})
	}
	tierstest.Run(t, qa.Decider(), all)
}

func TestTier4IsToldThatItReadsALinter(t *testing.T) {
	t.Parallel()
	role := func(script, output string) string {
		h := tierstest.Play(t, qa.Decider(), given(ranScript(t, script), settled(stderr(output)))...)
		return tierstest.TextOf(t, qa.Texts(), h.Requests()[0].Manifest[0])
	}
	require.Contains(t, role("mypy .", "boom"), "linter, formatter or commit hook")
	require.Contains(t, role("git commit -m x", "hook failed"), "linter, formatter or commit hook")
	require.NotContains(t, role("git commit -m x", "nothing to commit"), "linter")
	require.NotContains(t, role("go test ./...", "boom"), "linter")
}

func TestACommandThatPassesUnchangedIsNamedAsFlaky(t *testing.T) {
	t.Parallel()
	again := given(requested("c2", 1), approved("c2", 1))
	passed := settled(outcome(events.ToolDone), func(p *events.ToolSettled) { p.Call = "c2" })
	wrote := events.FilesUpdated{Files: []events.FileUpdate{{Path: "a"}}}
	flaky := given(events.FlakyNoticed{Call: "c2", Failed: "c1", Ticket: "T-1"})
	off := opened(func(s *events.Settings) { s.QADisabled = true })
	tierstest.Run(t, qa.Decider(), scenarios{
		{Name: "unchanged", Given: given(opened(), settled(), again), When: passed, Then: flaky},
		{Name: "also where nobody reads failures", Given: given(off, settled(), again), When: passed, Then: flaky},
		{Name: "changed", Given: given(opened(), settled(), wrote, again), When: passed},
		{Name: "failed again", Given: given(opened(), settled(), again),
			When: settled(func(p *events.ToolSettled) { p.Call = "c2" }),
			Then: given(tierstest.Check(func(testing.TB, events.ModelRequested) {}))},
		{Name: "after the session", Given: given(opened(), settled(), again, events.SessionClosed{}), When: passed},
	})
}
