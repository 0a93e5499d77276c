package conductor_test

import (
	"strings"
	"testing"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func TestAGoalOfOneTrackGoesToTheTechLead(t *testing.T) {
	t.Parallel()
	goal := tierstest.ID(2)
	asks := func(text string) events.Payload { return events.GoalSubmitted{Goal: text, Track: true} }
	track := events.GoalTrack(goal, "Mend it\nnow")
	longest := strings.Repeat("x", events.MaxWorkerPrompt)
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "it starts", Given: given(opened()), When: asks("Mend it\nnow"),
			Then: given(events.TrackStarted{Goal: goal, Track: track})},
		{Name: "a plan of tracks does not count", Given: given(opened(), asks("Mend it\nnow")),
			When: proposedFor(goal, "TR-1")},
		{Name: "the longest", Given: given(opened()), When: asks(longest), Then: given(decided[events.TrackStarted]())},
		{Name: "a longer one", Given: given(opened()), When: asks(longest + "x"), Then: given(events.GoalFailed{Goal: goal,
			Reason: "the track's description is 32769 bytes long, at most 32768 are allowed"})},
		{Name: "an empty one", Given: given(opened()), When: asks(" "), Then: given(events.GoalFailed{Goal: goal,
			Reason: "the track has no description"})},
	})
}
