package replay_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
)

// seeds are how often each scenario is played, each time with other turns.
const seeds = 12

func TestEveryTruthfulHistoryVerifies(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		for seed := range uint64(seeds) {
			t.Run(fmt.Sprintf("%s/%d", s.name, seed), func(t *testing.T) {
				t.Parallel()
				history := play(seed, scenarioNamed(s.name))
				report, err := replay.Verify(history, replay.Deciders()...)
				require.NoError(t, err)
				require.Equal(t, len(history), report.Events)
				require.Equal(t, history[0].Session, report.Session)
				require.True(t, report.Closed)
				require.Empty(t, report.Owed)
				for _, d := range report.Deciders {
					require.Zero(t, d.Owed)
				}
			})
		}
	}
}

func TestTheScenariosBringAboutEveryDecision(t *testing.T) {
	t.Parallel()
	decided := map[string]bool{}
	for _, s := range scenarios() {
		for _, e := range play(1, s.script) {
			decided[e.Type] = true
		}
	}
	for _, d := range events.Catalogue().Defs() {
		if d.Class == events.Decision && !decided[d.Type.Name] {
			t.Errorf("no scenario leads to %s", d.Type.Name)
		}
	}
}

func TestVerifyDecodesOnACopy(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("plain"))
	raw := slices.Clone(history)
	for i := range raw {
		if i%3 != 0 {
			raw[i].Payload = nil
		}
	}
	before := slices.Clone(raw)
	report, err := replay.Verify(raw, replay.Deciders()...)
	require.NoError(t, err)
	require.Equal(t, before, raw)
	whole, err := replay.Verify(history, replay.Deciders()...)
	require.NoError(t, err)
	require.Equal(t, whole, report)
}

func TestARecordVerifiesAlsoAsObserversSeeIt(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		seen := play(1, s.script)
		for i := range seen {
			wire, err := json.Marshal(seen[i])
			require.NoError(t, err)
			var e events.Event
			require.NoError(t, json.Unmarshal(wire, &e))
			e.Seq = seen[i].Seq
			seen[i] = e
		}
		_, err := replay.Verify(seen, replay.Deciders()...)
		require.NoError(t, err, s.name)
	}
}

func TestOneDeciderCanBeVerifiedAlone(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("asked"))
	for i, start := range replay.Deciders() {
		report, err := replay.Verify(history, start)
		require.NoError(t, err)
		require.Len(t, report.Deciders, 1)
		require.Equal(t, replay.Deciders()[i]().Name(), report.Deciders[0].Decider)
		decided := 0
		for _, e := range history {
			if e.Actor == report.Deciders[0].Decider {
				decided++
			}
		}
		require.Equal(t, decided, report.Deciders[0].Decided)
	}
}

func TestDecidersAreAllOfThem(t *testing.T) {
	t.Parallel()
	var names []string
	for _, start := range replay.Deciders() {
		names = append(names, start().Name())
	}
	require.Equal(t, events.Deciders(), names)
}
