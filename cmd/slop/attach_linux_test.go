package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestTwoTerminalsShowARunAndTheFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	script := onePlan(edits("a.txt", "one", "two"), edits("a.txt", "two", "three"), edits("a.txt", "three", "four"),
		says("DONE: done"))
	first := chatFolder(t, 80, script)
	first.launch(exec.Command("slop", "run", "--script", "script.jsonl", "--config", "config.toml", "edit it"))
	first.sees("[s]how all > ")
	second, third := first.beside(40), first.beside(120)
	second.launch(exec.Command("slop", "attach", "--config", "config.toml"))
	second.sees("goal: edit it", "edit_file a.txt", "[s]how all > ")
	first.types("n not ")
	first.sees("n not ")
	second.types("y\r")
	// The other terminal is told by whom. What was begun there for that question is dropped, and only that.
	first.sees("tool: yes by ", "edit_file a.txt", "[s]how all > ")
	second.sees("[s]how all > ")

	// Ctrl-C leaves and stops nothing.
	third.launch(exec.Command("slop", "attach", "--config", "config.toml"))
	third.sees("[s]how all > ")
	third.types("\x03")
	third.sees("detached; session ")
	<-third.ended
	require.NoError(t, third.status)
	third.requireCooked()

	first.types("y\r")
	second.sees("tool: yes by ", "[s]how all > ")
	first.sees("[s]how all > ")
	first.types("y\r")
	first.sees("slop changes --diff")
	<-first.ended
	<-second.ended // with the session or with its engine, whichever it learns first
	require.NoError(t, first.status)
	require.NoError(t, second.status, "%s", second.shown)
	require.Equal(t, "four\n", first.file("a.txt"))
	require.NotContains(t, strings.ReplaceAll(second.shown.String(), "\x1b]", ""), "was not accepted")
}

func TestTopShowsChangesOnATerminal(t *testing.T) {
	t.Parallel()
	run := chatFolder(t, 80, onePlan(edits("a.txt", "one", "two"), says("DONE: done")))
	run.launch(exec.Command("slop", "run", "--script", "script.jsonl", "--config", "config.toml", "edit it"))
	run.sees("[s]how all > ")
	top, left := run.beside(40), run.beside(120)
	left.launch(exec.Command("slop", "top", "--config", "config.toml"))
	left.sees("\x1b[H\x1b[2JWHO", "T-001", "edit_file a.txt")
	left.types("\x03")
	<-left.ended
	require.NoError(t, left.status)
	top.launch(exec.Command("slop", "top", "--config", "config.toml"))
	top.sees("T-001  you: ")
	for _, line := range lines(top.shown.String()) {
		require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\r"))), 40+len("\x1b[H\x1b[2J"))
	}
	run.types("y\r")
	top.sees("the engine ended")
	<-top.ended
	require.NoError(t, top.status)
}

func TestTheLastLinesOfARunningScriptAreShown(t *testing.T) {
	t.Parallel()
	script := onePlan(calls("run_powershell", map[string]any{"script": "echo built; " +
		"printf 'sk-ant-%s\\n' 0123456789abcdef01; cat go"}),
		says("DONE: done"))
	run := chatFolder(t, 120, script)
	require.NoError(t, unix.Mkfifo(filepath.Join(run.dir, "go"), 0o600))
	run.launch(exec.Command("slop", "run", "--script", "script.jsonl", "--config", "config.toml", "build it"))
	run.sees("[s]how all > ")
	run.types("y\r")
	run.sees(" │ built ⏎ [secret]")
	require.NoError(t, os.WriteFile(filepath.Join(run.dir, "go"), []byte("over\n"), 0o600))
	run.sees("slop sessions show")
	<-run.ended
	require.NoError(t, run.status)
}

func TestTheLastLinesOfARunningScriptAreShownInAChat(t *testing.T) {
	t.Parallel()
	c := chatFolder(t, 120, `{"tier":3,"reply":`+calls("run_powershell", map[string]any{"script": "echo built; cat go"})+
		"}\n"+`{"tier":3,"reply":{"text":"It is built."}}`+"\n")
	require.NoError(t, unix.Mkfifo(filepath.Join(c.dir, "go"), 0o600))
	c.start(exec.Command("slop", "chat", "--script", "script.jsonl", "--config", "config.toml"))
	c.types("Build it.\r")
	c.sees("[s]how all > ")
	c.types("y\r")
	c.sees(" │ built")
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "go"), []byte("over\n"), 0o600))
	c.sees("It is built.", "main> ")
	c.screenLines(120)
	c.types("/quit\r")
	c.requireCooked()
	require.NoError(t, c.status)
}

func TestEditedArgumentsShowTheirDiffBeforeTheyRun(t *testing.T) {
	t.Parallel()
	run := chatFolder(t, 80, onePlan(edits("a.txt", "one", "two"), says("DONE: done")))
	run.launch(exec.Command("slop", "run", "--script", "script.jsonl", "--config", "config.toml", "edit it"))
	run.sees("[s]how all > ")
	with := func(now string) string {
		return `e {"path":"a.txt","old_string":"one","new_string":"` + now + `"}` + "\r"
	}
	run.types(with("three"))
	run.sees("── as edited", "+three", "run it as edited? ")
	second := run.beside(120)
	second.launch(exec.Command("slop", "attach", "--config", "config.toml"))
	second.sees("+two", "[s]how all > ") // nothing is answered yet
	run.types("n\r")
	run.sees("+two", "[s]how all > ")
	run.types(with("three"))
	run.sees("+three", "run it as edited? ")
	run.types("a\r")
	run.sees("type y, n, e", "run it as edited? ")
	run.types(with("four"))
	run.sees("── as edited", "+four", "run it as edited? ")

	// What cannot be shown is left to the engine, and does not count.
	second.types(`e {"path":"a.txt","old_string":"never","new_string":"x"}` + "\r")
	second.sees("the edited arguments do not fit: ", "[s]how all > ")
	second.types(with("five"))
	second.sees("+five", "run it as edited? ")
	require.Equal(t, "one\n", run.file("a.txt"))
	second.types("y\r")
	run.sees("tool: yes by ")
	<-second.ended
	run.sees("slop changes --diff")
	<-run.ended
	require.NoError(t, run.status)
	require.Equal(t, "five\n", run.file("a.txt"))
}
