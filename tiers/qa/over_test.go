package qa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/qa"
	"manualslop/tiers/tierstest"
)

func TestOnlyCallsThatMayBeAskedAboutAreRemembered(t *testing.T) {
	t.Parallel()
	resolved := func(resolution string) events.Payload {
		return events.InterruptResolved{Call: "c1", Resolution: resolution, By: "ada"}
	}
	for name, c := range map[string]struct {
		history []events.Payload
		calls   int
	}{
		"under way":         {opened(), 1},
		"done":              {given(opened(), settled(outcome(events.ToolDone))), 0},
		"killed":            {given(opened(), settled(outcome(events.ToolKilled))), 0},
		"denied":            {given(opened(), events.ToolDenied{Call: "c1"}), 0},
		"failed in a shell": {given(opened(), settled()), 1},
		"interrupted":       {given(opened(), settled(outcome(events.ToolInterrupted))), 1},
		"interrupted and tried": {given(opened(), settled(outcome(events.ToolInterrupted)),
			resolved(events.InterruptRetry)), 1},
		"interrupted and given up": {given(opened(), settled(outcome(events.ToolInterrupted)),
			resolved(events.InterruptFail)), 0},
		"an outcome that does not count": {given(opened(), settled(outcome(events.ToolDone), generation(2))), 1},
	} {
		require.Equal(t, c.calls, tierstest.StateAfter(t, qa.Decider(), c.history...).Calls(), name)
	}
}
