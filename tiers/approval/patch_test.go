package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

func TestAPatchIsAppliedWhereTheCallFailed(t *testing.T) {
	t.Parallel()
	proposed := events.PatchProposed{Request: "r", Call: "c1", Ticket: "T-1", Attempt: 1,
		Patch: "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n", Workspace: "T-1.1"}
	id := events.PatchCall(tierstest.ID(firstFree))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "shown", Given: begin(), When: proposed,
			Then: given(tierstest.Check(func(t testing.TB, p events.PreviewRequested) {
				require.Equal(t, "T-1.1", p.Workspace)
			}))},
		{Name: "and done", Given: given(begin(), proposed, events.PreviewBuilt{Call: id, Diff: "d"}),
			When: answer(askID(events.GateTool, firstFree+1), "yes"),
			Then: given(decided[events.AskSettled](), tierstest.Check(func(t testing.TB, p events.ToolApproved) {
				require.Equal(t, "T-1.1", p.Workspace)
			}))},
	})
}
