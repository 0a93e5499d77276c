package sessiongen_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections/sessiongen"
)

func TestSessionsHaveTheAskedLengthAndRealisticSizes(t *testing.T) {
	t.Parallel()
	const seeds = 6
	registry := events.Catalogue()
	for _, n := range []int{sessiongen.MinEvents, 80, 81, 500} {
		total, outputs := 0, 0
		for seed := range uint64(seeds) {
			log := sessiongen.GenerateSession(seed, n)
			require.Len(t, log, n)
			for i, e := range log {
				raw, err := json.Marshal(e)
				require.NoError(t, err)
				total += len(raw)
				var again events.Event
				require.NoError(t, json.Unmarshal(raw, &again))
				registry.Decode(&again)
				require.NotContains(t, []string{"Unknown", "Malformed"}, kind(again.Payload), "%s by %s", e.Type, e.Actor)
				require.EqualValues(t, i+1, e.Seq)
				if e.Type == "ToolSettled" {
					outputs += len(raw)
				}
			}
		}
		if n >= 80 {
			mean := total / (seeds * n)
			require.InDelta(t, 1500, mean, 300, "bytes an event of %d", n)
			require.Greater(t, 5*outputs, 2*total, "tool outputs are the largest part")
		}
	}
}

func kind(p events.Payload) string {
	switch p.(type) {
	case events.Unknown:
		return "Unknown"
	case events.Malformed:
		return "Malformed"
	}
	return ""
}

func TestTheSameSeedGivesTheSameSession(t *testing.T) {
	t.Parallel()
	require.Equal(t, sessiongen.GenerateSession(7, 120), sessiongen.GenerateSession(7, 120))
	require.NotEqual(t, sessiongen.GenerateSession(7, 120), sessiongen.GenerateSession(8, 120))
}

func TestTooShortASessionIsAProgrammersError(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { sessiongen.GenerateSession(1, sessiongen.MinEvents-1) })
}
