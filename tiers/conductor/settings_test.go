package conductor_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

func TestSettingsChangeWhileASessionRuns(t *testing.T) {
	t.Parallel()
	workersNow := func(n int) events.Payload { return events.SettingsChanged{MaxWorkers: &n} }
	retriesNow := func(n int) events.Payload { return events.SettingsChanged{MaxRetries: &n} }
	reviewNow := func(on bool) events.Payload { return events.SettingsChanged{PlanReview: &on} }
	two := given(begin(workers(1)), planned("TR-1", "A", "B", "C"))
	tierstest.Run(t, conductor.Decider(), []tierstest.Scenario{
		{Name: "more workers begin at once", Given: two, When: workersNow(2), Then: given(spawn("B", 1, "m0"))},
		{Name: "fewer workers end nothing", Given: given(begin(workers(2)), planned("TR-1", "A", "B", "C"), workersNow(1)),
			When: approve("A", 1), Then: given(started("A", 1, 0, "m0"))},
		{Name: "fewer workers hold the next", Given: given(begin(workers(2)), planned("TR-1", "A", "B", "C"), workersNow(1),
			approve("A", 1)), When: done("A", 1),
			Then: given(events.TicketCompleted{Ticket: "A"})},
		{Name: "too many workers never count", Given: two, When: workersNow(events.MaxWorkers + 1)},
		{Name: "a retry that was not given before", Given: given(begin(), planned("TR-1", "A"), approve("A", 1),
			retriesNow(1)), When: gaveUp("A", 1),
			Then: given(events.TicketRetried{Ticket: "A", RetryCount: 1, Reason: "no such file"}, isReady("A"),
				spawn("A", 2, "m1"))},
		{Name: "the next start takes the ladder of now", Given: given(begin(), planned("TR-1", "A"),
			events.TierChanged{Tier: 3, Models: []string{"x"}}), When: approve("A", 1),
			Then: given(started("A", 1, 0, "x"))},
		{Name: "plans are reviewed from now on", Given: given(opened(), goalSubmitted(), reviewNow(true)),
			When: proposed("TR-1")},
		{Name: "a plan that waits goes on waiting", Given: given(opened(review), goalSubmitted(), proposed("TR-1")),
			When: reviewNow(false)},
	})
}
