package contributor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

func TestEverythingThatAnAttemptAsksForIsOfItsPlace(t *testing.T) {
	t.Parallel()
	in := func(p *events.TicketStarted) { p.Workspace = "T-1.1" }
	h := tierstest.Play(t, contributor.Decider(), given(opened(), starts(1, in), context(), reply("", read),
		ran(0, "x"))...)
	require.Equal(t, "T-1.1", h.Last("ContextRequested").Payload.(events.ContextRequested).Workspace)
	require.Equal(t, "T-1.1", h.Last("ToolRequested").Payload.(events.ToolRequested).Workspace)
	require.Equal(t, "T-1.1", h.Last("RefreshRequested").Payload.(events.RefreshRequested).Workspace)
}
