//go:build linux

package geminicli_test

import (
	"context"
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

// says stands for a program that writes lines, in pieces of any length, and
// ends well. Nothing is started.
func says(lines string) llm.Runner {
	return func(_ context.Context, p llm.Program) (llm.Ended, error) {
		for rest := []byte(lines); len(rest) > 0; {
			n := min(len(rest), 4093)
			p.Follow(rest[:n])
			rest = rest[n:]
		}
		return llm.Ended{Path: p.Path, Stdout: lines[:min(len(lines), 100)]}, nil
	}
}

// named runs the program of a path, whatever the request says.
func named(path string) llm.Runner {
	return func(ctx context.Context, p llm.Program) (llm.Ended, error) {
		p.Path = path
		return runtime.RunProgram(ctx, p)
	}
}

// request is of tier 3, with one tool.
func request(command string) llm.Request {
	return llm.Request{Model: "m1", Command: command, Tools: []llm.Tool{{Name: "read_file"}, {Name: "edit_file"}},
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You are a contributor.\n")}},
			{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("Mend it; $(touch /tmp/never) `x`\n")}},
		}}
}

// provider reads calls as text, so that the program may be a shell script.
func provider(t *testing.T) geminicli.Provider {
	t.Helper()
	p := offering(t)
	p.Text = true
	return p
}

// offering offers tools by a server.
func offering(t *testing.T) geminicli.Provider {
	t.Helper()
	return geminicli.Provider{Run: runtime.RunProgram, Folder: filepath.Join(t.TempDir(), "runs"), Silence: time.Minute}
}

// ask makes one attempt and collects it.
func ask(t *testing.T, run llm.Runner) (llm.Reply, error) {
	t.Helper()
	p := provider(t)
	p.Run = run
	return llm.Collect(p.Stream(t.Context(), request("")), nil)
}

// fails is the error of an attempt of which nothing may come.
func fails(t *testing.T, run llm.Runner) *llm.Error {
	t.Helper()
	reply, err := ask(t, run)
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
