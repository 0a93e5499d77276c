//go:build linux

package geminicli_test

import (
	"os"
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/runtime"
)

func TestMain(m *testing.M) {
	clitest.Play()
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	conform(t, false)
}

func TestConformanceOfCallsAsText(t *testing.T) {
	t.Parallel()
	conform(t, true)
}

func conform(t *testing.T, text bool) {
	t.Helper()
	clitest.Conform(t, clitest.Fixture{
		Kind: clitest.Gemini, Functions: !text,
		Provider: func(folder string, silence time.Duration) llm.Provider {
			return geminicli.Provider{Run: runtime.RunProgram, Folder: folder, Silence: silence, Text: text}
		},
		Streams: true, Usage: events.Usage{Input: 60, Output: 30, Thinking: 10, CacheRead: 40},
		Own: []string{"run_shell_command"},
	})
}
