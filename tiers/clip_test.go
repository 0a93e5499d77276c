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
