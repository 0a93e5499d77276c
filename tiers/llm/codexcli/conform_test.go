//go:build linux

package codexcli_test

import (
	"os"
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/codexcli"
	"manualslop/tiers/runtime"
)

func TestMain(m *testing.M) {
	clitest.Play()
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	clitest.Conform(t, clitest.Fixture{
		Kind: clitest.Codex,
		Provider: func(folder string, silence time.Duration) llm.Provider {
			return codexcli.Provider{Run: runtime.RunProgram, Folder: folder, Silence: silence}
		},
		Usage: events.Usage{Input: 60, Output: 30, CacheRead: 40, CacheWrite: 8}, Own: []string{"command_execution"},
	})
}
