//go:build linux

package acp_test

import (
	"os"
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/acp"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/runtime"
)

func TestMain(m *testing.M) {
	clitest.Play()
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	clitest.Conform(t, clitest.Fixture{
		Kind: clitest.ACP,
		Provider: func(folder string, silence time.Duration) llm.Provider {
			return acp.Provider{Run: runtime.RunProgram, Folder: folder, Silence: silence, Args: []string{"--acp"}}
		},
		Streams: true, Usage: events.Usage{Input: 60, Output: 30}, Own: []string{"Bash"},
	})
}
