//go:build linux

package geminicli_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/runtime"
)

// program is a shell script that stands in for the gemini command line.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my gemini")
	// A child that another test forks while the file is open for writing would
	// keep it open, and then nobody can run it.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	return path
}

// says is a program that writes lines and ends well.
func says(t *testing.T, lines string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o644))
	return program(t, "cat '"+file+"'")
}

// request is of tier 3, with one tool.
func request(command string) llm.Request {
	return llm.Request{Model: "m1", Command: command, Tools: []llm.Tool{{Name: "read_file"}, {Name: "edit_file"}}, Messages: []llm.Message{
		{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You are a contributor.\n")}},
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("Mend it; $(touch /tmp/never) `x`\n")}},
	}}
}

func provider(t *testing.T) geminicli.Provider {
	t.Helper()
	return geminicli.Provider{Run: runtime.RunProgram, Folder: filepath.Join(t.TempDir(), "runs"), Silence: time.Minute}
}

// ask makes one attempt and collects it.
func ask(t *testing.T, command string) (llm.Reply, error) {
	t.Helper()
	return llm.Collect(provider(t).Stream(t.Context(), request(command)), nil)
}

// fails is the error of an attempt of which nothing may come.
func fails(t *testing.T, command string) *llm.Error {
	t.Helper()
	reply, err := ask(t, command)
	require.Empty(t, reply.Text)
	require.Empty(t, reply.Calls)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	return e
}

const (
	hello  = `{"type":"message","role":"assistant","content":"hello"}` + "\n"
	done   = `{"type":"result","status":"success","stats":{"total_tokens":30}}` + "\n"
	failed = events.ModelIncomplete
)
