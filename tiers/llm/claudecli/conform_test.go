//go:build linux

package claudecli_test

import (
	"os"
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/claudecli"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/runtime"
)

func TestMain(m *testing.M) {
	clitest.Play()
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	cost := int64(12346)
	clitest.Conform(t, clitest.Fixture{
		Kind: clitest.Claude,
		Provider: func(folder string, silence time.Duration) llm.Provider {
			return claudecli.Provider{Run: runtime.RunProgram, Folder: folder, Silence: silence}
		},
		Streams: true, Usage: events.Usage{Input: 60, Output: 30, CacheRead: 40, CacheWrite: 8}, Cost: &cost,
		Own: []string{"Bash"},
	})
}
