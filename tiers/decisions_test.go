package tiers_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

func TestEveryDeciderHasANumber(t *testing.T) {
	t.Parallel()
	require.Equal(t, slices.Sorted(slices.Values(events.Deciders())), slices.Sorted(maps.Keys(tiers.Decisions())))
	for decider, n := range tiers.Decisions() {
		require.Positive(t, n, decider)
	}
}

func TestASessionThatDecidesLikeANewerProgramIsRefusedByName(t *testing.T) {
	t.Parallel()
	newest := tiers.Decisions()[events.ActorContributor]
	numbers := func(decider string, n int) events.Basis {
		return events.Basis{Program: "v9.0.0", Decisions: map[string]int{decider: n, events.ActorApproval: 1}}
	}
	for name, c := range map[string]struct {
		payload events.Payload
		want    string
	}{
		"none":     {events.SessionOpened{}, ""},
		"the same": {events.SessionOpened{Basis: numbers(events.ActorContributor, newest)}, ""},
		"one more": {events.SessionOpened{Basis: numbers(events.ActorContributor, newest+7)},
			fmt.Sprintf("newer than this program: session S1 needs slop with contributor decisions %d, as slop v9.0.0 has it; "+
				"this program knows up to %d", newest+7, newest)},
		"upgraded": {events.DecisionsUpgraded{Basis: numbers(events.ActorContributor, newest+1)},
			fmt.Sprintf("contributor decisions %d", newest+1)},
		"a decider that is not there": {events.SessionOpened{Basis: numbers("critic", 3)},
			"critic decisions 3, as slop v9.0.0 has it; this program knows up to 0"},
		"an unknown version": {events.Unknown{Name: "GoalSubmitted", Version: 4},
			"session S1 needs slop that reads version 4 of GoalSubmitted (event E1); this program knows up to 2"},
		"an unknown type": {events.Unknown{Name: "Dreamed", Version: 1}, "session S1 needs slop that knows events of the " +
			"type Dreamed (event E1); this program does not"},
	} {
		silent := tiers.Decider[int]{Name: events.ActorPlanner, New: func() int { return 0 },
			Evolve: func(s int, _ *events.Event) int { return s }, Decide: func(int, *events.Event) []events.Payload {
				return nil
			}}
		_, err := silent.Start().Take(&events.Event{ID: "E1", Session: "S1", Actor: "ada", Payload: c.payload})
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, events.ErrNewer, name)
		require.ErrorContains(t, err, c.want, name)
	}
}
