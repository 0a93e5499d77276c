package conductor_test

import (
	"testing"

	"manualslop/events"
	"manualslop/tiers/basis"
	"manualslop/tiers/conductor"
	"manualslop/tiers/tierstest"
)

// under is a session under some decisions of the conductor.
func under(decisions int, change ...func(*events.Settings)) []events.Payload {
	open := opened(change...).(events.SessionOpened)
	open.Basis = basis.Of("test")
	open.Basis.Decisions[events.ActorConductor] = decisions
	return given(open, goalSubmitted(), proposed("TR-1"))
}

func TestTicketStartsAtOnceWhereNobodyIsAsked(t *testing.T) {
	t.Parallel()
	gate := func(s *events.Settings) { s.SpawnApproval = true }
	isolated := func(s *events.Settings) { s.Isolation = events.IsolationWorktree }
	ungated := events.SpawnRequested{Ticket: "A", Attempt: 1, Model: "m0", Prompt: "Do A", Ungated: true}
	plan, paused := planned("TR-1", "A"), given(events.PauseRequested{})
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "under decisions 2", Given: under(2), When: plan, Then: given(isReady("A"), ungated,
			started("A", 1, 0, "m0"))},
		{Name: "not under decisions 1", Given: under(1), When: plan, Then: given(isReady("A"), spawn("A", 1, "m0"))},
		{Name: "not where the start is asked about", Given: under(2, gate), When: plan, Then: given(isReady("A"),
			spawn("A", 1, "m0"))},
		{Name: "in a place of its own once it is there", Given: under(2, isolated), When: plan,
			Then: given(isReady("A"), ungated, events.WorkspaceRequested{Ticket: "A", Attempt: 1, Name: events.WorkspaceName("A",
				1)})},
		{Name: "not during a pause", Given: given(under(2), paused), When: plan, Then: given(isReady("A"))},
		{Name: "an approval of it counts for nothing", Given: given(under(2), plan), When: approve("A", 1)},
	})
}
