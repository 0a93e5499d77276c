package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
{"tier":3,"contains":"Wait.","reply":{"text":"Too late.","delay_ms":600000}}
{"tier":3,"contains":"Write.","reply":{"text":"So.","tool_calls":[{"name":"edit_file","args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}
{"tier":3,"contains":"1 occurrence","reply":{"text":"Written."}}
`

func TestAChatOnATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{100, 24} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"script.jsonl": chatScript, "a.txt": "one\n",
				"config.toml": scriptConfig} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			keys, program := terminal(t)
			resize(t, keys, columns)
			cmd := exec.Command("slop", "chat", "--script", "script.jsonl", "--config", "config.toml", "--no-color")
			cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, program, program, program
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			require.NoError(t, cmd.Start())
			shown, ended := newScreen(), make(chan struct{})
			var status error
			go func() { status = cmd.Wait(); close(ended) }()
			t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
			go func() { _, _ = io.Copy(shown, keys) }()
			types := func(text string) { _, err := keys.WriteString(text); require.NoError(t, err) }
			sees := func(text string) {
				t.Helper()
				require.NoError(t, shown.await(text, ended), "%s", shown)
			}

			sees("main> ")
			types("What is it?\r")
			sees("It is a file.")
			sees("main> ")
			types("\x1b[200~one\rtwo\x1b[201~\r")
			sees("Two lines.")
			sees("main> ")
			types("/he\t\r")
			sees("hands a goal")
			sees("main> ")
			types("\x1b[A\r") // the line before
			sees("hands a goal")
			sees("main> ")
			resize(t, keys, columns/2)
			types("Wait.\r")
			sees("Ctrl-C stops")
			types("\x03")
			sees("stopped by")
			sees("main> ")
			types("Write.\r")
			sees("[y]es")
			types("y\r")
			sees("Written.")
			sees("main> ")
			types("/quit\r")
			<-ended
			require.NoError(t, status)
			now, err := os.ReadFile(filepath.Join(dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "two\n", string(now))
			mode, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
			require.NoError(t, err)
			require.NotZero(t, mode.Lflag&unix.ICANON, "the terminal is as it was")
		})
	}
}
