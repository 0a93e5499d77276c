package replay_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/replay"
	"manualslop/tiers/llm"
	scripted "manualslop/tiers/llm/script"
)

// allocated is how many bytes some work allocates. What is read, hashed or put
// together anew for each prompt stands in one of them. The test may not be parallel.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
func TestVerifyingATicketTwiceAsLongIsTwiceTheWork(t *testing.T) {
	work := func(rounds int) (verify, prompts uint64) {
		history := play(1, oneTicket(rounds, 1000))
		var err error
		verify = allocated(func() { _, err = replay.Verify(history, replay.Deciders()...) })
		require.NoError(t, err)
		var seen llm.Checked
		var bad *llm.Mismatch
		prompts = allocated(func() {
			seen, bad = llm.CheckBodies(history, map[string]llm.Provider{scripted.Name: scripted.Provider{}}, texts)
		})
		require.Nil(t, bad)
		require.Greater(t, seen.Same, rounds)
		return verify, prompts
	}
	work(1) // tables that are made once
	verify, prompts := work(150)
	longVerify, longPrompts := work(300)
	require.LessOrEqual(t, float64(longVerify), 2.2*float64(verify), "verify: %d and %d bytes", verify, longVerify)
	require.LessOrEqual(t, float64(longPrompts), 2.4*float64(prompts), "prompts: %d and %d bytes", prompts, longPrompts)
	t.Logf("bytes allocated: verify %d and %d, prompts %d and %d", verify, longVerify, prompts, longPrompts)
}
