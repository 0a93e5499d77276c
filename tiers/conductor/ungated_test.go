package conductor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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

func TestAStartThatIsAskedAboutNamesItsFiles(t *testing.T) {
	t.Parallel()
	gate := func(s *events.Settings) { s.SpawnApproval = true }
	withFiles := func(target string, context ...string) events.Payload {
		p := planned("TR-1", "A").(events.TicketsPlanned)
		p.Tickets[0].TargetFile, p.Tickets[0].ContextRequirements = target, context
		return p
	}
	asked := func(files ...string) []events.Payload {
		p := spawn("A", 1, "m0").(events.SpawnRequested)
		p.Files = files
		return given(isReady("A"), p)
	}
	plan := withFiles("a.go", "b.go")
	approved := func(files []string) events.Payload {
		return events.SpawnApproved{Ticket: "A", Attempt: 1, Files: files, By: "ada"}
	}
	begins := func(files []string) []events.Payload {
		p := started("A", 1, 0, "m0").(events.TicketStarted)
		p.Ticket.TargetFile, p.Ticket.ContextRequirements, p.Files = "a.go", []string{"b.go"}, files
		return given(p)
	}
	tierstest.Run(t, conductor.Decider(), scenarios{
		{Name: "under decisions 3", Given: under(3, gate), When: plan, Then: asked("a.go:raw", "b.go")},
		{Name: "without a target", Given: under(3, gate), When: withFiles("", "b.go"), Then: asked("b.go")},
		{Name: "not under decisions 2", Given: under(2, gate), When: plan, Then: asked()},
		{Name: "the ticket's own", Given: given(under(3, gate), plan), When: approved(nil), Then: begins(nil)},
		{Name: "edited ones", Given: given(under(3, gate), plan), When: approved([]string{"c.go"}),
			Then: begins([]string{"c.go"})},
		{Name: "none at all", Given: given(under(3, gate), plan), When: approved([]string{}), Then: begins([]string{})},
		{Name: "another attempt has the ticket's own again", Given: given(under(3, gate, retries(1)), plan,
			approved([]string{"c.go"}), gaveUp("A", 1)), When: events.SpawnApproved{Ticket: "A", Attempt: 2, By: "ada"},
			Then: given(tierstest.Check(func(t testing.TB, p events.TicketStarted) {
				t.Helper()
				require.Nil(t, p.Files)
			}))},
	})
}
