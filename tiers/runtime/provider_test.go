package runtime_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/replay"
	"manualslop/tiers/llm/geminicli"
)

// mockProgram is the program that stands in for the gemini command line.
func mockProgram(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../docs/examples/mock_gemini_cli.sh")
	require.NoError(t, err)
	return path
}

// shellProgram is a program in the words of a shell. No child may be forked
// while it is written: it would keep the file open, and nobody could run it.
func shellProgram(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return path
}

func TestASessionWhoseProviderIsChangedWhileItRunsComesToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	stop := w.startWithoutWorker(writes)
	w.say(events.TierChanged{Provider: "gemini-cli", Models: []string{"mock"}})
	w.say(events.ProviderChanged{Provider: "gemini-cli", Command: mockProgram(t)})
	stop() // what goes on with the session finds the settings on its log
	w.start(writes)
	goal := w.say(events.GoalSubmitted{Goal: "greet"})
	log := w.until(func(e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.GoalCompleted:
			return p.Goal == goal
		case events.GoalFailed:
			t.Fatal(p.Reason)
		}
		return false
	})
	asked, ran := 0, 0
	for _, e := range log {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			require.Equal(t, []string{geminicli.Name, "mock", mockProgram(t)}, []string{p.Provider, p.Model, p.Command})
			asked++
		case events.ModelReplied:
			require.Equal(t, mockProgram(t), p.CLI.Command[0])
			require.Equal(t, events.Usage{Input: 80, Output: 20}, p.Usage)
			ran++
		}
	}
	require.Equal(t, []int{3, 3}, []int{asked, ran}, "a track, a ticket, its work")
	_, err := replay.Verify(log, replay.Deciders()...)
	require.NoError(t, err)
}

// TestACallThatAProgramNamesGoesThroughTheGates gives a contributor a program
// that names tools: one of ours, and one that it says it ran itself.
func TestACallThatAProgramNamesGoesThroughTheGates(t *testing.T) {
	t.Parallel()
	program := shellProgram(t, `prompt=$(cat)
case $prompt in
*"Error of the tool"*) ;;
*"You are a contributor"*)
	echo '{"type":"tool_use","name":"edit_file","id":"t1","parameters":{"path":"a.txt","old_string":"hello","new_string":"bye"}}'
	echo '{"type":"tool_use","name":"read_file","id":"t2","parameters":{"path":"a.txt"}}'
	echo '{"type":"tool_result","tool_id":"t2","status":"success","output":"hello"}'
	echo '{"type":"result","status":"success"}'
	exit
	;;
esac
printf '%s' "$prompt" | '`+mockProgram(t)+`' "$@"
`)
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(func(s *events.Settings) {
		s.Providers = []events.ProviderSettings{{Provider: geminicli.Name, Command: program}}
	})
	w.start(writes)
	w.say(events.TierChanged{Provider: geminicli.Name})
	w.say(events.GoalSubmitted{Goal: "greet"})
	asked := map[string]bool{}
	log := w.until(func(e *events.Event) bool {
		if p, ok := e.Payload.(events.AskRaised); ok && !asked[p.Ask] {
			asked[p.Ask] = true
			w.say(events.AskAnswered{Ask: p.Ask, Decision: events.No, Reason: "not this file"})
		}
		_, done := e.Payload.(events.GoalCompleted)
		return done
	})
	var requested []string
	for _, e := range log {
		if p, ok := e.Payload.(events.ToolRequested); ok {
			requested = append(requested, p.Tool)
		}
	}
	require.Equal(t, []string{"edit_file"}, requested)
	require.Len(t, asked, 1)
	got, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(got))
}

func TestWhatAProgramWritesIsMasked(t *testing.T) {
	t.Parallel()
	program := shellProgram(t, `cat >/dev/null
echo 'key=hunter22' >&2
echo '{"type":"message","role":"assistant","content":"key=hunter22"}'
echo '{"type":"result","status":"error","error":"key=hunter22"}'
`)
	w := newWorld(t, nil)
	w.mask = func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("hunter22"), []byte("[secret]")) }
	w.open(func(s *events.Settings) {
		s.Providers = []events.ProviderSettings{{Provider: geminicli.Name, Command: program}}
	})
	w.start(writes)
	w.say(events.TierChanged{Provider: geminicli.Name})
	w.say(events.GoalSubmitted{Goal: "greet"})
	failures := 0
	for _, e := range w.until(isType("GoalFailed")) {
		require.NotContains(t, string(e.Data), "hunter22", e.Type)
		if p, ok := e.Payload.(events.ModelFailed); ok {
			failures++
			require.Contains(t, p.Message, "[secret]")
			require.Contains(t, p.CLI.Stderr, "[secret]")
			require.Contains(t, p.CLI.Stdout, "[secret]")
		}
	}
	require.Positive(t, failures)
}

func TestOnlyAProgramThatAPersonOfTheSessionNamedIsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(func(s *events.Settings) {
		s.Providers = []events.ProviderSettings{{Provider: geminicli.Name, Command: "/nowhere/of-the-configuration"}}
	})
	w.startWithoutWorker(writes)
	w.say(events.ProviderChanged{Provider: geminicli.Name, Command: "/nowhere/of-a-person"})
	w.say(events.ProviderChanged{Provider: geminicli.Name, Command: "relative"})
	w.say(events.ProviderChanged{Provider: "another", Command: "/nowhere/of-another"})
	touched := filepath.Join(t.TempDir(), "touched")
	evil := shellProgram(t, ": >'"+touched+"'\n")
	planner := w.connect(bus.Role{Kind: bus.Decider, Name: events.ActorPlanner})
	for command, says := range map[string]string{
		evil:                            "was not allowed for",
		"relative":                      "was not allowed for",
		"/nowhere/of-another":           "was not allowed for",
		"/nowhere/of-a-person":          "is not an executable file",
		"/nowhere/of-the-configuration": "is not an executable file",
	} {
		parts := []events.Part{{Role: "user", Text: "x"}}
		digest, err := events.ManifestDigest(parts)
		require.NoError(t, err)
		e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
			Actor: events.ActorPlanner},
			events.ModelRequested{StreamID: "Tier 1", Attempt: 1, Tier: 1, Provider: geminicli.Name, Command: command,
				Manifest: parts, SHA256: digest})
		require.NoError(t, err)
		_, err = planner.Append(t.Context(), e, nil)
		require.NoError(t, err)
		log := w.until(func(f *events.Event) bool {
			p, ok := f.Payload.(events.ModelFailed)
			return ok && p.Request == e.ID
		})
		failed := log[len(log)-1].Payload.(events.ModelFailed)
		require.Equal(t, events.ModelInvalidRequest, failed.Kind)
		require.Contains(t, failed.Message, says, command)
	}
	require.NoFileExists(t, touched)
}
