package contributor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/contributor"
	"manualslop/tiers/tierstest"
)

func TestWhatIsOverIsNotLookedOutFor(t *testing.T) {
	t.Parallel()
	two := given(round1(), reply("I look.", read, shell))
	for name, c := range map[string]struct {
		history []events.Payload
		waits   int
	}{
		"two calls":                {two, 2},
		"a call settled":           {given(two, ran(0, "text")), 2},
		"both settled: a refresh":  {given(two, ran(0, "text"), ran(1, "text")), 1},
		"killed among its calls":   {given(two, events.TicketKilled{Ticket: "T-1", Attempt: 1}), 0},
		"killed before its answer": {given(round1(), events.TicketKilled{Ticket: "T-1", Attempt: 1}), 0},
		"done":                     {given(round1(), reply("DONE: all.")), 0},
	} {
		require.Equal(t, c.waits, tierstest.StateAfter(t, contributor.Decider(), c.history...).Waits(), name)
	}
}
