package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal: what is typed on it, and the side that a program has.
func terminal(t *testing.T) (keys, program *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { keys.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { program.Close() })
	return keys, program
}

func resize(t *testing.T, keys *os.File, columns uint16) {
	t.Helper()
	require.NoError(t, unix.IoctlSetWinsize(int(keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
}

const chatScript = `{"tier":3,"contains":"What is it?","reply":{"text":"It is a file."}}
{"tier":3,"contains":"one\ntwo","reply":{"text":"Two lines."}}
{"tier":3,"contains":"Write.","reply":{"text":"So.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}
{"tier":3,"contains":"1 occurrence","reply":{"text":"Written."}}
`

// chatting is slop chat on a terminal.
type chatting struct {
	t             *testing.T
	dir           string
	keys, program *os.File
	shown         *screen
	ended         chan struct{}
	status        error // once it has ended
	typed         []typed
}

// typed is what was typed, and how much the terminal had shown before.
type typed struct {
	at   int
	text string
}

// chat starts slop chat in a folder with a.txt, as wide as that.
func chat(t *testing.T, columns uint16, script string, flags ...string) *chatting {
	t.Helper()
	c := chatFolder(t, columns, script)
	c.start(exec.Command("slop", append([]string{"chat", "--script", "script.jsonl", "--config", "config.toml"},
		flags...)...))
	return c
}

// chatFolder is a terminal, as wide as that, and a folder with a.txt and a script.
func chatFolder(t *testing.T, columns uint16, script string) *chatting {
	t.Helper()
	c := &chatting{t: t, dir: t.TempDir(), shown: newScreen(), ended: make(chan struct{})}
	for name, text := range map[string]string{"script.jsonl": script, "a.txt": "one\n", "config.toml": scriptConfig} {
		require.NoError(t, os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600))
	}
	c.keys, c.program = terminal(t)
	resize(t, c.keys, columns)
	return c
}

// start starts a program on the terminal and waits until it takes a line.
func (c *chatting) start(cmd *exec.Cmd) {
	c.t.Helper()
	c.launch(cmd)
	c.sees("main> ")
}

// beside is another terminal in the same folder.
func (c *chatting) beside(columns uint16) *chatting {
	c.t.Helper()
	other := &chatting{t: c.t, dir: c.dir, shown: newScreen(), ended: make(chan struct{})}
	other.keys, other.program = terminal(c.t)
	resize(c.t, other.keys, columns)
	return other
}

// launch starts a program on the terminal.
func (c *chatting) launch(cmd *exec.Cmd) {
	t := c.t
	t.Helper()
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.dir, c.program, c.program, c.program
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "XDG_CONFIG_HOME="+c.dir, "TERM=xterm", "NO_COLOR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	drawn := make(chan struct{})
	go func() { _, _ = io.Copy(c.shown, c.keys); close(drawn) }()
	go func() {
		c.status = cmd.Wait()
		c.program.Close() // so that the last of what it printed ends the copy
		<-drawn
		close(c.ended)
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-c.ended })
}

func (c *chatting) types(text string) {
	c.t.Helper()
	c.typed = append(c.typed, typed{len(c.shown.String()), strings.TrimSuffix(text, "\r")})
	_, err := c.keys.WriteString(text)
	require.NoError(c.t, err)
}

// sees waits for texts, one behind the other.
func (c *chatting) sees(texts ...string) {
	c.t.Helper()
	for _, text := range texts {
		require.NoError(c.t, c.shown.await(text, c.ended), "%s", c.shown)
	}
}

// file is the content of a file now.
func (c *chatting) file(name string) string {
	c.t.Helper()
	now, err := os.ReadFile(filepath.Join(c.dir, name))
	require.NoError(c.t, err)
	return string(now)
}

// requireCooked checks that the terminal is as it was.
func (c *chatting) requireCooked() {
	c.t.Helper()
	<-c.ended
	mode, err := unix.IoctlGetTermios(int(c.keys.Fd()), unix.TCGETS)
	require.NoError(c.t, err)
	require.NotZero(c.t, mode.Lflag&unix.ICANON)
}

const colour = "\x1b\\[[0-9;]*m"

func TestAChatOnATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{100, 40, 24} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			c := chat(t, columns, chatScript, "--no-color")
			c.types("What is it?\r")
			c.sees("It is a file.", "main> ")
			c.types("\x1b[200~one\rtwo\x1b[201~\r")
			c.sees("Two lines.", "main> ")
			c.types("/he\t\r")
			c.sees("hands a goal", "main> ")
			c.types("\x1b[A\r") // the line before
			c.sees("hands a goal", "main> ")
			c.types("@a.t\t")
			c.sees("@a.txt ")
			c.types("\x03")
			c.sees("main> ")
			c.types("Wri")
			c.sees("Wri")
			resize(t, c.keys, columns/2)
			c.sees("main> ", "Wri") // the line is drawn again
			c.types("te.\r")
			c.sees("[y]es")
			c.types("y\r")
			c.sees("Written.", "main> ")
			c.types("/quit\r")
			c.requireCooked()
			require.NoError(t, c.status)
			require.Equal(t, "two\n", c.file("a.txt"))
			require.NotRegexp(t, colour, c.shown.String())
		})
	}
}

const interruptScript = `{"tier":3,"contains":"Ask.","reply":{"text":"I ask.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}
{"tier":3,"contains":"Run.","reply":{"text":"I run.","tool_calls":[{"name":"run_powershell","args":{"script":"cat pipe"}}]}}
{"tier":3,"contains":"Wait.","reply":{"text":"Too late.","delay_ms":600000}}
{"tier":3,"contains":"Still there?","reply":{"text":"Yes."}}
`

func TestCtrlCStopsTheTurnInEachStateAndKeepsTheSession(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"colours": nil, "no colours": {"--no-color"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := chat(t, 40, interruptScript, flags...)
			pipe := filepath.Join(c.dir, "pipe")
			require.NoError(t, unix.Mkfifo(pipe, 0o600))

			c.types("half a line")
			c.sees("half a line")
			c.types("\x03")
			c.sees("main> ")
			c.types("Ask.\r")
			c.sees("[y]es")
			c.types("\x03")
			c.sees("stopped by", "main> ")
			require.Equal(t, "one\n", c.file("a.txt"))

			c.types("Run.\r")
			c.sees("[y]es")
			c.types("y\r")
			opened := make(chan struct{})
			go func() {
				if f, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil { // once the tool reads it
					t.Cleanup(func() { f.Close() })
					close(opened)
				}
			}()
			select {
			case <-opened:
			case <-c.ended:
				t.Fatalf("it ended: %s", c.shown)
			}
			c.types("\x03")
			c.sees("stopped by", "main> ")

			c.types("Wait.\r")
			c.sees("Ctrl-C")
			c.types("\x03")
			c.sees("stopped by", "main> ")

			c.types("Still there?\r")
			c.sees("Yes.", "main> ")
			c.types("\x03")
			c.requireCooked()
			require.NoError(t, c.shown.await("slop chat --resume", nil), "what it said last may be read later")
			require.Error(t, c.status)
		})
	}
}

const questionScript = `{"tier":3,"contains":"Write two.","reply":{"text":"I write.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}
{"tier":3,"contains":"not yet","reply":{"text":"Then not."}}
{"tier":3,"contains":"Write three.","reply":{"text":"I write.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"three"}}]}}
{"tier":3,"contains":"1 occurrence","reply":{"text":"Written."}}
`

func TestQuestionsOfAChatAreAnsweredOnTheTerminal(t *testing.T) {
	t.Parallel()
	c := chat(t, 40, questionScript)
	c.types("Write two.\r")
	c.sees("-one", "+two", "[y]es")
	c.types("perhaps\r")
	c.sees("type y, a, n REASON", "[y]es")
	c.types("n not yet\r")
	c.sees("Then not.", "main> ")
	require.Equal(t, "one\n", c.file("a.txt"))
	c.types("Write three.\r")
	c.sees("[y]es")
	c.types(`e {"path":"a.txt","old_string":"one","new_string":"four"}` + "\r")
	c.sees("── as edited", "+four", "run it as edited? ")
	c.types("y\r")
	c.sees("Written.", "main> ")
	require.Equal(t, "four\n", c.file("a.txt"))
	require.Regexp(t, colour, c.shown.String())
	c.types("\x04")
	c.requireCooked()
	require.NoError(t, c.status)
}

func TestAChatShowsWhatTheSessionChangedAndWhatAPromptHolds(t *testing.T) {
	t.Parallel()
	c := chat(t, 100, questionScript, "--yes")
	c.types("/diff\r")
	c.sees("the session has not changed any file", "main> ")
	c.types("/context\r")
	c.sees("PART", "system", "tools", "all", "script/", "main> ")
	require.NotContains(t, c.shown.String(), "User")
	c.types("Write three.\r")
	c.sees("Written.", "main> ")
	c.types("/context\r")
	c.sees("PART", "system", "User", "Write three.", "tools", "all", "script/", "main> ")
	require.Regexp(t, `1 +[0-9:]+ +User +[1-9][0-9]* +0\.000000 +0\.000000 +Write three`, c.shown.String())
	c.types("/diff\r")
	c.sees("--- a/a.txt", "-one", "+three", "main> ")
	c.types("/undo\r")
	c.sees("restored a.txt", "main> ")
	c.types("/diff\r")
	c.sees("the session has not changed any file", "main> ")
}

const compactScript = `{"tier":3,"contains":"What is it?","reply":{"text":"It is a file."}}
{"tier":3,"contains":"And b?","reply":{"text":"There is none."}}
{"tier":3,"contains":"the names","reply":{"text":"They spoke of a file."}}
{"tier":3,"contains":"And now?","reply":{"text":"We go on."}}
`

func TestAChatGoesOnFromASummary(t *testing.T) {
	t.Parallel()
	c := chat(t, 100, compactScript)
	c.types("/compact\r")
	c.sees("nothing was sent: the discussion has nothing that a summary could replace", "main> ")
	for _, said := range [][2]string{{"What is it?", "It is a file."}, {"And b?", "There is none."}} {
		c.types(said[0] + "\r")
		c.sees(said[1], "main> ")
	}
	c.types("/comp\tthe names\r")
	c.sees("They spoke of a file.", "tokens in 4 entries became about", "in 3; main still has them all", "main_take_1> ")
	c.types("/context\r")
	c.sees("Summary", "They spoke of a file.", "User", "And b?", "AI", "There is none.", "main_take_1> ")
	c.types("And now?\r")
	c.sees("We go on.", "main_take_1> ")
	c.types("/discussion main\r")
	c.sees("main> ")
	c.types("/context\r")
	c.sees("What is it?", "It is a file.", "And b?", "There is none.", "main> ")
}

func TestSlopAloneOpensAChatInATerminalAndPrintsHelpElsewhere(t *testing.T) {
	t.Parallel()
	c := chatFolder(t, 80, "")
	c.start(exec.Command("slop", "--config", "config.toml"))
	c.types("/quit\r")
	c.requireCooked()
	require.NoError(t, c.status)
	help := exec.Command("slop")
	help.Dir = c.dir
	out, err := help.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "Usage:")
	require.NotContains(t, string(out), "main> ")
}

const markdownScript = `{"tier":3,"contains":"Explain.","reply":{"text":"# Plan\n\nRead **all** of it.\n\n- one\n- two\n\n&#27;[2Jgone \u001b[2Jtoo"}}
`

func TestMarkdownIsRenderedOnATerminalWithColoursOnly(t *testing.T) {
	t.Parallel()
	c := chat(t, 24, markdownScript)
	c.types("Explain.\r")
	c.sees("\x1b[1mPlan\x1b[0m", "Read \x1b[1mall\x1b[0m of it.", "• one", "• two", "&#27;[2Jgone", "too", "main> ")
	require.NotContains(t, c.shown.String(), "\x1b[2J")
	c = chat(t, 24, markdownScript, "--no-color")
	c.types("Explain.\r")
	c.sees("# Plan", "**all**", "- one", "&#27;[2Jgone", "main> ")
	require.NotContains(t, c.shown.String(), "\x1b[2J")
}
