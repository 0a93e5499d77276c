package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

func TestCallsOfMCPClientsHaveNoTicketAndIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	claims := wants("mcp-1", "read_file", `{"path":"a.go"}`)
	claims.Workspace, claims.Known = "W-1", []events.FileState{{Path: "b.go"}}
	foreign := wants("undo-1", "read_file", `{"path":"a.go"}`)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a ticket that it claims", Given: begin(), When: tierstest.By(events.ActorMCP, claims),
			Then: given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {
				require.Empty(t, p.Ticket)
				require.Empty(t, p.Workspace)
				require.Empty(t, p.Known)
				require.Zero(t, p.Attempt)
			}))},
		{Name: "the id of another call", Given: begin(), When: tierstest.By(events.ActorMCP, foreign)},
	})
}

func TestAnAbandonedCallIsDenied(t *testing.T) {
	t.Parallel()
	gone := tierstest.By(events.ActorMCP, events.CallAbandoned{Call: "mcp-1", Reason: "gone"})
	write := tierstest.By(events.ActorMCP, wants("mcp-1", "edit_file", `{"path":"a.go"}`))
	script := tierstest.By(events.ActorMCP, wants("mcp-1", "run_powershell", `{"script":"ls"}`))
	other := wants("c1", "run_powershell", `{"script":"ls"}`)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "before its preview", Given: given(begin(), write, tierstest.Decided[events.PreviewRequested]()), When: gone,
			Then: given(deniedSaying("withdrawn: gone"))},
		{Name: "at its ask", Given: given(begin(), script, tierstest.Decided[events.AskRaised]()), When: gone,
			Then: given(tierstest.Decided[events.AskSettled](), deniedSaying("withdrawn: gone"))},
		{Name: "a call of a model stays", Given: given(begin(), other, tierstest.Decided[events.AskRaised]()),
			When: tierstest.By(events.ActorMCP, events.CallAbandoned{Call: "c1", Reason: "gone"})},
	})
}
