package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/projections"
)

func TestSessionsThatGoOnBesideARunAreNamedNewestFirst(t *testing.T) {
	t.Parallel()
	require.Empty(t, othersNotice(nil))
	require.Contains(t, othersNotice([]string{"A", "B"}), "keep spending: B, A\n")
	require.Contains(t, othersNotice([]string{"A", "B", "C", "D", "E", "F"}), "F, E, D, C, B and 1 more\n")
}

func TestASessionThatWasGivenUpIsClosedEvenIfItWasStalled(t *testing.T) {
	t.Parallel()
	require.Equal(t, "closed", sessionState(projections.Summary{Stalled: "no", Closed: &time.Time{}, State: "executing"}))
	require.Equal(t, "stalled", sessionState(projections.Summary{Stalled: "no", State: "executing"}))
}
