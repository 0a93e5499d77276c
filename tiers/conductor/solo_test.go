package conductor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func TestASoloGoalIsOneTicket(t *testing.T) {
	t.Parallel()
	goal := tierstest.ID(2)
	id := events.WorkerTicket(goal)
	solo := func(text string) events.Payload { return events.GoalSubmitted{Goal: text, Solo: true} }
	asks := events.SpawnRequested{Ticket: id, Attempt: 1, Model: "m0", Prompt: "Mend it\nnow"}
	open := given(opened(), solo("Mend it\nnow"))
	over := given(events.TrackCompleted{Track: events.WorkerTrack(id)}, events.GoalCompleted{Goal: goal})
	stuck := id + " is blocked (worker): no such file"
	lost := given(events.TrackBlocked{Track: events.WorkerTrack(id), Reason: stuck}, events.GoalFailed{Goal: goal,
		Reason: "track " + events.WorkerTrack(id) + " is blocked: " + stuck})
	longest := strings.Repeat("x", events.MaxWorkerPrompt)
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "it starts", Given: given(opened()), When: solo("Mend it\nnow"), Then: given(tierstest.Check(
			func(t testing.TB, p events.TicketsAdded) {
				t.Helper()
				require.Equal(t, goal, p.Request)
				require.Equal(t, "Mend it", p.Track.Title)
				require.Equal(t, "Mend it\nnow", p.Tickets[0].Description)
			}), isReady(id), asks)},
		{Name: "its end is that of the goal", Given: given(open, approve(id, 1)), When: done(id, 1),
			Then: given(events.TicketCompleted{Ticket: id}, over)},
		{Name: "its block, too", Given: given(open, approve(id, 1)), When: gaveUp(id, 1),
			Then: given(blockedWorker(id), lost)},
		{Name: "a retry revives the goal", Given: given(open, failed(id), events.RetryRequested{Ticket: id}, approve(id, 2)),
			When: done(id, 2), Then: given(events.TicketCompleted{Ticket: id}, over)},
		{Name: "tier 1 finds one ticket to be enough", Given: given(opened(), events.GoalSubmitted{Goal: "Mend it\nnow"}),
			When: events.PlanSkipped{Goal: goal}, Then: given(decided[events.TicketsAdded](), isReady(id), asks)},
		{Name: "its end is that of the goal, too", Given: given(opened(), events.GoalSubmitted{Goal: "Mend it\nnow"},
			events.PlanSkipped{Goal: goal}, approve(id, 1)), When: done(id, 1),
			Then: given(events.TicketCompleted{Ticket: id}, over)},
		{Name: "after tracks it does not count", When: events.PlanSkipped{Goal: goal},
			Given: given(opened(), events.GoalSubmitted{Goal: "Mend it"}, proposedFor(goal, "TR-1"))},
		{Name: "nor for another goal", Given: given(opened()), When: events.PlanSkipped{Goal: goal}},
		{Name: "a plan for it does not count", Given: open, When: proposedFor(goal, "TR-1")},
		{Name: "the longest text", Given: given(opened()), When: solo(longest),
			Then: given(decided[events.TicketsAdded](), isReady(id), decided[events.SpawnRequested]())},
		{Name: "a longer one", Given: given(opened()), When: solo(longest + "x"), Then: given(events.GoalFailed{Goal: goal,
			Reason: "the prompt is 32769 bytes long, at most 32768 are allowed"})},
		{Name: "and no second refusal", Given: given(opened(), solo(longest+"x")), When: events.PauseRequested{},
			Then: given(events.Paused{By: "ada"})},
		{Name: "under a plan review it starts, too", Given: given(opened(review)), When: solo("Mend it"),
			Then: given(decided[events.TicketsAdded](), isReady(id), decided[events.SpawnRequested]())},
	})
}
