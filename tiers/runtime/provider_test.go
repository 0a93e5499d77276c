package runtime_test

import (
	"os"
	"path/filepath"
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

func TestASessionWhoseProviderIsChangedWhileItRunsComesToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.start(writes)
	w.say(events.TierChanged{Provider: "gemini-cli", Models: []string{"mock"}})
	w.say(events.ProviderChanged{Provider: "gemini-cli", Command: mockProgram(t)})
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
	evil := filepath.Join(t.TempDir(), "evil")
	require.NoError(t, os.WriteFile(evil, []byte("#!/bin/sh\n: >'"+touched+"'\n"), 0o755))
	planner := w.connect(bus.Role{Kind: bus.Decider, Name: events.ActorPlanner})
	for command, says := range map[string]string{
		evil:                            "no person of this session named the program",
		"relative":                      "no person of this session named the program",
		"/nowhere/of-another":           "no person of this session named the program",
		"/nowhere/of-a-person":          "is no file that may be run",
		"/nowhere/of-the-configuration": "is no file that may be run",
	} {
		parts := []events.Part{{Role: "user", Text: "x"}}
		digest, err := events.ManifestDigest(parts)
		require.NoError(t, err)
		e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session, Actor: events.ActorPlanner},
			events.ModelRequested{StreamID: "Tier 1", Attempt: 1, Tier: 1, Provider: geminicli.Name, Command: command, Manifest: parts, SHA256: digest})
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
