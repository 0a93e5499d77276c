package planner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/planner"
	"manualslop/tiers/tierstest"
)

// older is opened, with decisions that know no goal of one ticket.
func older() events.Payload {
	p := opened().(events.SessionOpened)
	p.Basis.Decisions = map[string]int{events.ActorPlanner: 1}
	return p
}

// corrected checks that tier 1 is asked again, and told why.
func corrected(why string) []events.Payload {
	return then(requested(func(t testing.TB, r events.ModelRequested) {
		t.Helper()
		require.Contains(t, r.Manifest[len(r.Manifest)-1].Text, why)
	}))
}

func TestOneTicketMayBeEnough(t *testing.T) {
	t.Parallel()
	solo := `[{"one_ticket": true}]`
	chosen := then(events.PlanSkipped{Goal: goalID})
	tracks := then(events.TracksProposed{Goal: goalID, Tracks: []events.Track{{ID: "TR-1", Description: "a"}}})
	with := func(p events.Payload) []events.Payload { return then(opened(), p, built(tree())) }
	long := func(n int) events.Payload { return events.GoalSubmitted{Goal: strings.Repeat("x", n)} }
	prompt := func(offers bool) []events.Payload {
		return then(requested(func(t testing.TB, r events.ModelRequested) {
			t.Helper()
			require.Equal(t, offers, strings.HasSuffix(r.Manifest[len(r.Manifest)-1].Text, planner.OrSolo))
		}))
	}
	tierstest.Run(t, planner.Decider(), scenarios{
		{Name: "tier 1 says so", Given: asked(), When: replied(solo), Then: chosen},
		{Name: "in a code fence, with more members", Given: asked(),
			When: replied("Small.\n```json\n[{\"one_ticket\": true, \"why\": \"small\"}]\n```"), Then: chosen},
		{Name: "after a draft", Given: asked(), Then: chosen,
			When: replied("`[{\"description\":\"a\"}]`? No:\n```json\n" + solo + "\n```")},
		{Name: "tracks after it count", Given: asked(), Then: tracks,
			When: replied(solo + "? No:\n```json\n[{\"description\":\"a\"}]\n```")},
		{Name: "false says nothing", Given: asked(), When: replied(`[{"one_ticket": false, "description": "a"}]`),
			Then: tracks},
		{Name: "it stands alone", Given: asked(), When: replied(`[{"one_ticket": true}, {"description": "a"}]`),
			Then: corrected("track 1: ")},
		{Name: "a person who reviews the plan gets one", When: replied(solo),
			Given: with(events.GoalSubmitted{Goal: "g", Plan: true}),
			Then:  corrected("one_ticket is not possible for this goal, because the user reviews its plan: write tracks")},
		{Name: "then tier 1 is not told of it", Given: then(opened(), events.GoalSubmitted{Goal: "g", Plan: true}),
			When: built(tree()), Then: prompt(false)},
		{Name: "the longest text of a ticket", Given: then(opened(), long(events.MaxWorkerPrompt)), When: built(tree()),
			Then: prompt(true)},
		{Name: "a longer one", Given: then(opened(), long(events.MaxWorkerPrompt+1)), When: built(tree()),
			Then: prompt(false)},
		{Name: "and is not chosen for it", Given: with(long(events.MaxWorkerPrompt + 1)), When: replied(solo),
			Then: corrected("its text is too long for a ticket")},
		{Name: "the next goal waits for its end", Given: after(asked(), replied(solo)), When: goal()},
		{Name: "older decisions do not tell tier 1", Given: then(older(), goal()), When: built(tree()),
			Then: prompt(false)},
		{Name: "and want tracks", Given: then(older(), goal(), built(tree())), When: replied(solo),
			Then: corrected("track 1: ")},
	})
	tierstest.Laws(t, planner.Decider(), after(asked(), replied(solo), goal(), events.GoalCompleted{Goal: goalID},
		built(tree())))
}
