package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A day at a terminal: a key set up, a plan edited, a rule made from a prompt, a note, a question of the model, a
// second terminal, what was done looked at, one file undone, and a small job, without colour and through a pipe.
func TestADayAtATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{40, 80, 120} {
		day(t, columns)
	}
}

func day(t *testing.T, columns uint16) {
	t.Helper()
	run := chatFolder(t, columns, onePlan(
		`{"tier":3,"ticket":"T-007","reply":`+edits("a.txt", "one", "two")+`}`,
		`{"tier":3,"ticket":"T-007","reply":`+edits("a.txt", "two", "three")+`}`,
		`{"tier":3,"ticket":"T-007","reply":`+says("BLOCKED: Which API?\n- v1\n- v2")+`}`,
		`{"tier":3,"ticket":"T-007","contains":"v2","reply":`+says("DONE: done")+`}`))
	own := func(args ...string) *exec.Cmd {
		return exec.Command("slop", append(args, "--config", "config.toml")...)
	}
	// said is what a command prints when it is run beside, on a terminal of the same width without colour.
	said := func(args ...string) string {
		beside := run.beside(columns)
		cmd := own(args...)
		beside.launch(exec.Command("env", append([]string{"NO_COLOR=1", "TERM=dumb"}, cmd.Args...)...))
		<-beside.ended
		require.NoError(t, beside.status, "%v: %s", args, beside.shown)
		require.NotContains(t, beside.shown.String(), "\x1b", "%v", args)
		return beside.shown.String()
	}
	first := run.beside(columns)
	first.launch(own("setup", "--no-check"))
	first.sees("provider (anthropic, ")
	first.types("anthropic\r")
	first.sees("key of anthropic (not shown): ")
	first.types("sk-day-key\r")
	first.sees("the key was not checked")
	<-first.ended
	require.NoError(t, first.status)
	require.Contains(t, run.file("slop/credentials.toml"), "sk-day-key")

	run.launch(own("run", "--plan", "--script", "script.jsonl", "edit it"))
	run.sees("plan of TR-1: 1 ticket", "[s]how all > ")
	run.types(`e {"tickets":[{"id":"T-007","description":"Edit a.txt"}]}` + "\r")
	run.sees("T-007", "+two", "[s]how all > ")
	second := run.beside(columns)
	second.launch(own("attach"))
	second.sees("goal: edit it", "+two", "[s]how all > ")
	require.Equal(t, "ok\r\n", said("note", "T-007", "use the new API"))
	require.Contains(t, said("ask", "list"), "edit_file a.txt")
	run.types("a\r")
	run.sees("from now on, for this session: ", "[s]how all > ")
	run.types("a\r") // which settles the second edit, too
	run.sees("Which API?", "type your answer")
	second.sees("Which API?", "type your answer")
	second.types("2\r") // begun for the question before, which was answered elsewhere
	second.sees("was ignored: the question is already settled", "type your answer")
	second.types("2\r")
	run.sees("a.txt +1 -1")
	<-run.ended
	<-second.ended
	require.NoError(t, run.status)
	require.Equal(t, "three\n", run.file("a.txt"))

	require.Contains(t, said("show", "T-007"), "Edit a.txt")
	require.Contains(t, said("changes"), "a.txt")
	require.Contains(t, said("changes", "--undo", "a.txt"), "a.txt")
	require.Equal(t, "one\n", run.file("a.txt"))
	require.Contains(t, said("sessions"), "edit it")

	require.NoError(t, os.WriteFile(filepath.Join(run.dir, "solo.jsonl"), []byte(`{"tier":3,"reply":`+
		edits("a.txt", "one", "six")+"}\n"+`{"tier":3,"reply":`+says("DONE: done")+"}\n"), 0o600))
	solo := []string{"run", "--solo", "--yes", "--script", "solo.jsonl", "a small job"}
	require.Contains(t, said(solo...), "a.txt +1 -1")
	require.Equal(t, "six\n", run.file("a.txt"))
	require.Contains(t, said("changes", "--undo", "a.txt"), "a.txt")
	piped := own(solo...)
	piped.Dir, piped.Env = run.dir, append(os.Environ(), "HOME="+run.dir, "XDG_CONFIG_HOME="+run.dir)
	out, err := piped.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "a.txt +1 -1")
	require.NotContains(t, string(out), "\x1b")
}
