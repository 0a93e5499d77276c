package contributor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

func TestTheOnlyTicketOfAGoalKnowsWhatEarlierGoalsDid(t *testing.T) {
	t.Parallel()
	first := given(events.GoalSubmitted{Goal: "First", Solo: true}, events.GoalCompleted{Goal: tierstest.ID(3)},
		events.GoalSubmitted{Goal: "Second", Solo: true})
	added := func(request string) events.Payload {
		return events.TicketsAdded{Request: request, Tickets: []events.Ticket{{ID: "T-1"}}}
	}
	solo := added(tierstest.ID(5))
	parts := func(n int) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, r events.ModelRequested) {
			t.Helper()
			require.Len(t, r.Manifest, n)
			if n == 3 {
				require.Equal(t, "# Ticket T-1\n\nMend it\n", r.Manifest[1].Text)
				require.Equal(t, "# Earlier goals of this session, oldest first\n\n", r.Manifest[2].Prefix)
				require.Equal(t, "- First: completed, changed no file", r.Manifest[2].Text)
			}
		}))
	}
	tierstest.Run(t, contributor.Decider(), scenarios{
		{Name: "it does", Given: given(opened(), first, solo, starts(1)), When: context(), Then: parts(3)},
		{Name: "a ticket of a plan does not", Given: given(opened(), first, starts(1)), When: context(), Then: parts(2)},
		{Name: "nor a worker of no goal", Given: given(opened(), first, added("other"), starts(1)), When: context(),
			Then: parts(2)},
		{Name: "older decisions know nothing", Given: given(decidesAs(2, opened()), first, solo, starts(1)), When: context(),
			Then: parts(2)},
	})
}
