package conductor_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func trackStarted(goal, id string) events.Payload {
	return events.TrackStarted{Goal: goal, Track: track(id)}
}

func TestTracksRunOneAfterAnother(t *testing.T) {
	t.Parallel()
	two := given(opened(), goalSubmitted(), proposed("TR-1", "TR-2"))
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "nothing before the plan", Given: given(opened()), When: goalSubmitted()},
		{
			Name: "the first track starts", Given: given(opened(), goalSubmitted()), When: proposed("TR-1", "TR-2"),
			Then: given(trackStarted(goalID, "TR-1")),
		},
		{
			Name: "the second starts when the first is completed", Given: given(two, planned("TR-1", "A"), approve("A", 1)),
			When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, events.TrackCompleted{Track: "TR-1"}, trackStarted(goalID, "TR-2")),
		},
		{
			Name: "the goal is completed with the last", Given: given(two, planned("TR-1", "A"), ran("A"), planned("TR-2", "B"),
				approve("B", 1)), When: done("B", 1),
			Then: given(events.TicketCompleted{Ticket: "B"}, events.TrackCompleted{Track: "TR-2"},
				events.GoalCompleted{Goal: goalID}),
		},
		{
			Name: "a ticket may depend on one of an earlier track", Given: given(two, planned("TR-1", "A"), ran("A")),
			When: planned("TR-2", "B < A"),
			Then: given(isReady("B"), spawn("B", 1, "m0")),
		},
		{
			Name: "a blocked track stops the goal before the next", Given: given(two, planned("TR-1", "A"), approve("A", 1)),
			When: gaveUp("A", 1),
			Then: given(blockedWorker("A"), stuck("A is blocked (worker): no such file")),
		},
		{
			Name:  "a revived track goes on to the next",
			Given: given(two, planned("TR-1", "A"), failed("A"), events.RetryRequested{Ticket: "A"}, approve("A", 2)),
			When:  done("A", 2),
			Then: given(events.TicketCompleted{Ticket: "A"}, events.TrackCompleted{Track: "TR-1"},
				trackStarted(goalID, "TR-2")),
		},
		{
			Name: "an id of an earlier track blocks the plan", Given: given(two, planned("TR-1", "A"), ran("A")),
			When: planned("TR-2", "A"),
			Then: given(events.TrackBlocked{Track: "TR-2", Reason: "the plan uses the ticket id A a second time"},
				events.GoalFailed{Goal: goalID, Reason: "track TR-2 is blocked: the plan uses the ticket id A a second time"}),
		},
		{Name: "tracks of an unknown goal change nothing", Given: given(opened()), When: proposedFor("nobody", "TR-1")},
		{Name: "a second proposal changes nothing", Given: two, When: proposed("TR-9")},
	})
}

func TestPlanReview(t *testing.T) {
	t.Parallel()
	waiting := given(opened(review), goalSubmitted(), proposed("TR-1", "TR-2", "TR-3"))
	accept := func(ids ...string) events.Payload { return events.TracksAccepted{Goal: goalID, Tracks: ids} }
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "tracks wait for a person", Given: given(opened(review), goalSubmitted()), When: proposed("TR-1")},
		{Name: "yes to all starts the first", Given: waiting, When: accept(), Then: given(trackStarted(goalID, "TR-1"))},
		{Name: "yes to some starts the first of them, in planned order", Given: waiting, When: accept("TR-3", "TR-2"),
			Then: given(trackStarted(goalID, "TR-2"))},
		{
			Name: "those left out never start", Given: given(waiting, accept("TR-2"), planned("TR-2", "A"), approve("A", 1)),
			When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"}, events.TrackCompleted{Track: "TR-2"},
				events.GoalCompleted{Goal: goalID}),
		},
		{
			Name: "an unproposed track is refused", Given: waiting, When: accept("TR-1", "TR-9"),
			Then: given(refusal("TracksAccepted", "", "track TR-9 was not proposed")),
		},
		{
			Name: "a refused acceptance leaves the choice open", Given: given(waiting, accept("TR-9")), When: accept("TR-1"),
			Then: given(trackStarted(goalID, "TR-1")),
		},
		{
			Name: "accepting twice is refused", Given: given(waiting, accept()), When: accept(),
			Then: given(refusal("TracksAccepted", "", "no tracks of this goal wait for acceptance")),
		},
		{
			Name: "without review there is nothing to accept", Given: begin(), When: accept(),
			Then: given(refusal("TracksAccepted", "", "no tracks of this goal wait for acceptance")),
		},
		{
			Name: "an unknown goal is refused", Given: waiting, When: events.TracksAccepted{Goal: "x"},
			Then: given(refusal("TracksAccepted", "", "there is no such goal")),
		},
	})
}

func TestPlanningFailures(t *testing.T) {
	t.Parallel()
	reason := func(tier string) string {
		return "tier " + tier + " made no usable plan (requests to the model: 3): no JSON array"
	}
	tierstest.Run(t, conductor.Decider(), scenarios{
		{
			Name: "tier 1 fails the goal", Given: given(opened(), goalSubmitted()),
			When: events.PlanningFailed{Tier: 1, Goal: goalID, Attempts: 3, Error: "no JSON array"},
			Then: given(events.GoalFailed{Goal: goalID, Reason: reason("1")}),
		},
		{
			Name: "tier 2 blocks the track and fails the goal", Given: begin(),
			When: events.PlanningFailed{Tier: 2, Goal: goalID, Track: "TR-1", Attempts: 3, Error: "no JSON array"},
			Then: stuck(reason("2")),
		},
		{
			Name: "a plan after the failure changes nothing", When: planned("TR-1", "A"),
			Given: given(begin(), events.PlanningFailed{Tier: 2, Goal: goalID, Track: "TR-1", Attempts: 3,
				Error: "no JSON array"}),
		},
		{
			Name: "tracks after the failure change nothing", When: proposed("TR-1"),
			Given: given(opened(), goalSubmitted(), events.PlanningFailed{Tier: 1, Goal: goalID, Attempts: 3,
				Error: "no JSON array"}),
		},
		{
			Name: "a failure after the plan changes nothing", Given: given(begin(), planned("TR-1", "A")),
			When: events.PlanningFailed{Tier: 2, Goal: goalID, Track: "TR-1", Attempts: 1, Error: "late"},
		},
		{
			Name: "a failure of a proposed goal changes nothing", Given: begin(),
			When: events.PlanningFailed{Tier: 1, Goal: goalID, Attempts: 1, Error: "late"},
		},
	})
}

func TestTwoGoals(t *testing.T) {
	t.Parallel()
	second := tierstest.ID(4)
	both := given(begin(), goalSubmitted(), planned("TR-1", "A"))
	inSecond := given(both, failed("A"), proposedFor(second, "TR-2"))
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "a second goal waits for its plan", Given: begin(), When: goalSubmitted()},
		{
			Name: "the second goal's tracks start when they are proposed", Given: given(both, ran("A")),
			When: proposedFor(second, "TR-2"),
			Then: given(trackStarted(second, "TR-2")),
		},
		{
			Name:  "a goal revived while another is at work completes by itself",
			Given: given(inSecond, planned("TR-2", "B"), events.RetryRequested{Ticket: "A"}, approve("A", 2)),
			When:  done("A", 2),
			Then:  given(events.TicketCompleted{Ticket: "A"}, finished()),
		},
		{
			Name: "a dependency blocked in another goal blocks", Given: inSecond, When: planned("TR-2", "B < A"),
			Then: given(blockedBy("B", "A"),
				events.TrackBlocked{Track: "TR-2", Reason: "B waits for A, which is blocked"},
				events.GoalFailed{Goal: second, Reason: "track TR-2 is blocked: B waits for A, which is blocked"}),
		},
		{
			Name:  "a ticket that waits for one at work in another goal is not stuck",
			Given: given(inSecond, events.RetryRequested{Ticket: "A"}), When: planned("TR-2", "B < A"),
		},
		{
			Name:  "and goes on when that one is completed",
			Given: given(inSecond, events.RetryRequested{Ticket: "A"}, planned("TR-2", "B < A"), approve("A", 2)),
			When:  done("A", 2),
			Then:  given(events.TicketCompleted{Ticket: "A"}, isReady("B"), spawn("B", 1, "m0"), finished()),
		},
		{
			Name: "a track that waits for a stuck one of another goal is stuck as well",
			Given: given(begin(), goalSubmitted(), planned("TR-1", "A", "U < X"), failed("A"), proposedFor(second, "TR-2"),
				events.RetryRequested{Ticket: "A"}, planned("TR-2", "B < U"), approve("A", 2)),
			When: done("A", 2),
			Then: given(events.TicketCompleted{Ticket: "A"},
				events.TrackBlocked{Track: "TR-1", Reason: "U waits for X, which does not exist"},
				events.TrackBlocked{Track: "TR-2", Reason: "B waits for U, which is not completed"},
				events.GoalFailed{Goal: goalID, Reason: "track TR-1 is blocked: U waits for X, which does not exist"},
				events.GoalFailed{Goal: second, Reason: "track TR-2 is blocked: B waits for U, which is not completed"}),
		},
	})
}
