package tiers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers"
)

func TestATextIsCutOnTheBorderOfACharacterAndSaysSo(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ab", tiers.Clip("ab", 2))
	require.Equal(t, "ab…", tiers.Clip("abc", 2))
	require.Equal(t, "…", tiers.Clip("ä", 1))
	require.Equal(t, "ä…", tiers.Clip("äö", 3))
	require.Empty(t, tiers.Clip("", 0))
}

func TestAnEndBeginsOnTheBorderOfACharacter(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ab", tiers.Tail("ab", 2))
	require.Equal(t, "bc", tiers.Tail("abc", 2))
	require.Equal(t, "ö", tiers.Tail("äö", 3))
	require.Empty(t, tiers.Tail("ä", 1))
	require.Empty(t, tiers.Tail("ab", 0))
}
