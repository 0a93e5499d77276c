package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARunTellsItsTerminalThatAQuestionWaitsAndThatItEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "one\n", "config.toml": scriptConfig, "script.jsonl": `` +
		`{"tier":1,"reply":{"text":"[{\"id\":\"TR-1\",\"title\":\"One\",\"description\":\"Do it\"}]"}}` + "\n" +
		`{"tier":2,"reply":{"text":"[{\"id\":\"T-001\",\"description\":\"Edit a.txt\"}]"}}` + "\n" +
		`{"tier":3,"reply":{"tool_calls":[{"name":"edit_file",` +
		`"args":{"path":"a.txt","old_string":"one","new_string":"two"}}]}}` + "\n" +
		`{"tier":3,"reply":{"text":"DONE: done"}}` + "\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	keys, program := terminal(t)
	resize(t, keys, 80)
	cmd := exec.Command("slop", "run", "--script", "script.jsonl", "--config", "config.toml", "edit it")
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, program, program, program
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "TERM=xterm")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	shown, ended := newScreen(), make(chan struct{})
	var status error
	go func() { status = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	go func() { _, _ = io.Copy(shown, keys) }()
	require.NoError(t, shown.await("\a\x1b]9;slop: waits for you: edit_file a.txt\x1b\\", ended), "%s", shown)
	require.NoError(t, shown.await("[s]how all > ", ended), "%s", shown)
	_, err := keys.WriteString("y\n")
	require.NoError(t, err)
	require.NoError(t, shown.await("\x1b]2;slop: done\x1b\\", ended), "%s", shown)
	require.NoError(t, shown.await("slop changes --diff", ended), "%s", shown)
	<-ended
	require.NoError(t, status)
}
