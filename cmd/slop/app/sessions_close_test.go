package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionsThatGoOnBesideARunAreNamedNewestFirst(t *testing.T) {
	t.Parallel()
	require.Empty(t, othersNotice(nil))
	require.Contains(t, othersNotice([]string{"A", "B"}), "at its cost: B, A\n")
	require.Contains(t, othersNotice([]string{"A", "B", "C", "D", "E", "F"}), "F, E, D, C, B and 1 more\n")
}
