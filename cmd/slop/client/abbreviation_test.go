package client

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnIDIsFoundByAUniqueBeginningOrEnd(t *testing.T) {
	t.Parallel()
	ids := []string{"01AAAAAAAAAAAAAAAAAAAAAB22", "01AAAAAAAAAAAAAAAAAAAAAC22", "r-1", "r-12"}
	for word, want := range map[string]string{
		ids[0]: ids[0], "B22": ids[0], "b22": ids[0], "c22": ids[1], "r-1": "r-1", "r-12": "r-12", "12": "r-12",
	} {
		got, err := ExpandID("ask", word, ids)
		require.NoError(t, err, word)
		require.Equal(t, want, got)
	}
	for word, says := range map[string]string{"22": "is ambiguous", "01": "is ambiguous", "r-": "is ambiguous",
		"zz": "no ask", "": "no ask"} {
		_, err := ExpandID("ask", word, ids)
		require.ErrorContains(t, err, says, word)
	}
}

func TestAShortIDLeadsBackToItsID(t *testing.T) {
	t.Parallel()
	ids := []string{
		"01AAAAAAAAAAAAAAAAAA123456", "01AAAAAAAAAAAAAAAAAB123456", "01AAAAAAAAAAAAAAAAAAZZZZZZ", "r-1",
		"r-1-and-more-of-it-123456", "123456",
	}
	short := ShortIDs(ids)
	require.Len(t, short, len(ids))
	require.Equal(t, "ZZZZZZ", short[ids[2]])
	for _, id := range ids {
		got, err := ExpandID("ask", short[id], ids)
		require.NoError(t, err)
		require.Equal(t, id, got)
	}
}

func TestShortIDsOfEqualIDsEnd(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(ShortIDs([]string{"01AAAAAAAAAAAAAAAAAA123456", "01AAAAAAAAAAAAAAAAAA123456"})), 1)
}
