package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/term"
)

// A day at a terminal: a key set up, a plan edited, a rule made from a prompt, a note, a question of the model, a
// second terminal, what was done looked at, one file undone, and a small job, without colour and through a pipe.
func TestADayAtATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{40, 80, 120} {
		day(t, columns)
	}
}

// wide is a line that fits no terminal: words, wide characters, combining marks, tabs and a path.
var wide = strings.Repeat("wörter ", 20) + "\t漢字🙂漢字🙂漢字🙂漢字🙂漢字🙂漢字🙂漢字🙂漢字🙂漢字🙂漢字🙂  two " +
	strings.Repeat("/a/path", 20) + " \t 終"

// screenLines returns the lines that a terminal with so many columns shows, and fails if a program wrote over the end
// of one. What is typed is left out.
func (c *chatting) screenLines(columns int) []string {
	c.t.Helper()
	text := c.shown.String()
	for _, typed := range slices.Backward(c.typed) {
		text = text[:typed.at] + strings.Replace(text[typed.at:], typed.text, "", 1)
	}
	text = regexp.MustCompile("\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|\x1b\\[[0-9;?]*[A-Za-z]|\x07").ReplaceAllString(text, "")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, drawn := range strings.Split(line, "\r") {
			column := 0
			for k, part := range strings.Split(drawn, "\t") {
				if k > 0 {
					column = min(column/8*8+8, columns)
				}
				column += term.Columns(part)
			}
			require.LessOrEqual(c.t, column, columns, "%q", drawn)
		}
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// requireWhole checks that the lines of a question hold a line of a diff: behind its margin and, if the terminal is too
// narrow, in further lines with a mark in the margin.
func requireWhole(t *testing.T, lines []string, want string) {
	t.Helper()
	for i, line := range lines {
		got, is := strings.CutPrefix(line, "   ")
		if !is || !strings.HasPrefix(want, got) || len(got) < 2 {
			continue
		}
		for _, line := range lines[i+1:] {
			more, marked := strings.CutPrefix(line, " ↳  ")
			if !marked {
				break
			}
			got += more
		}
		require.Equal(t, want, got)
		return
	}
	t.Fatalf("no line begins %q: %q", want, lines)
}

func day(t *testing.T, columns uint16) {
	t.Helper()
	run := chatFolder(t, columns, onePlan(
		`{"tier":3,"ticket":"T-007","reply":`+edits("a.txt", "one", "two "+wide)+`}`,
		`{"tier":3,"ticket":"T-007","reply":`+edits("a.txt", "two "+wide, "three")+`}`,
		`{"tier":3,"ticket":"T-007","reply":`+says("BLOCKED: Which API?\n- v1\n- v2, because "+wide)+`}`,
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
		return strings.Join(beside.screenLines(int(columns)), "\n")
	}
	// piped is what a command prints into a pipe.
	piped := func(args ...string) string {
		cmd := own(args...)
		cmd.Dir, cmd.Env = run.dir, append(os.Environ(), "HOME="+run.dir, "XDG_CONFIG_HOME="+run.dir)
		out, err := cmd.Output()
		require.NoError(t, err)
		require.NotContains(t, string(out), "\x1b")
		return string(out)
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

	run.launch(own("run", "--plan", "--script", "script.jsonl", "edit it: "+wide))
	run.sees("plan of TR-1: 1 ticket", "[s]how all > ")
	run.types(`e {"tickets":[{"id":"T-007","description":"Edit a.txt` + strings.Repeat(" carefully", 20) + `"}]}` + "\r")
	run.sees("T-007", "+two", "[s]how all > ")
	requireWhole(t, run.screenLines(int(columns)), "+two "+wide)
	second := run.beside(columns)
	second.launch(own("attach"))
	second.sees("goal: edit it", "+two", "[s]how all > ")
	require.Equal(t, "ok\n", said("note", "T-007", "use the new API"))
	require.Contains(t, said("ask", "list"), "edit_file a.txt")
	require.Contains(t, said("top", "--once"), "you: ")
	requireWhole(t, run.screenLines(int(columns)), "+two "+wide)
	run.types("a\r")
	run.sees("from now on, for this session:", "[s]how all > ")
	run.types("a\r") // which settles the second edit, too
	run.sees("adds a rule for this", "Which API?", "type your answer")
	second.sees("Which API?", "type your answer")
	second.types("2\r")
	run.sees("a.txt +1 -1")
	<-run.ended
	<-second.ended
	require.NoError(t, run.status)
	require.Equal(t, "three\n", run.file("a.txt"))
	for _, terminal := range []*chatting{first, run, second} {
		terminal.screenLines(int(columns))
	}

	require.Contains(t, said("show", "T-007"), "Edit a.txt")
	goal := 1
	for !strings.Contains(piped("show", strconv.Itoa(goal)), "GoalSubmitted") {
		goal++
	}
	require.Contains(t, piped("show", strconv.Itoa(goal)), "goal: edit it: "+wide+"\n", "a pipe gets whole lines")
	require.Contains(t, said("show", strconv.Itoa(goal)), "\n↳ ")
	require.Contains(t, said("sessions", "show"), "completed")
	require.Contains(t, said("changes"), "a.txt")
	require.Contains(t, said("changes", "--diff"), "+three")
	require.Contains(t, said("changes", "--undo", "a.txt"), "a.txt")
	require.Equal(t, "one\n", run.file("a.txt"))
	require.Contains(t, said("sessions"), "edit it")

	require.NoError(t, os.WriteFile(filepath.Join(run.dir, "solo.jsonl"), []byte(`{"tier":3,"reply":`+
		edits("a.txt", "one", "six")+"}\n"+`{"tier":3,"reply":`+says("DONE: done")+"}\n"), 0o600))
	solo := []string{"run", "--solo", "--yes", "--script", "solo.jsonl", "a small job"}
	require.Contains(t, said(solo...), "a.txt +1 -1")
	require.Equal(t, "six\n", run.file("a.txt"))
	require.Contains(t, said("changes", "--undo", "a.txt"), "a.txt")
	require.Contains(t, piped(solo...), "a.txt +1 -1")
}
