package document

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATextIsCutToItsCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.Repeat("é", 5), Clip(strings.Repeat("é", 5), 5))
	require.Equal(t, strings.Repeat("é", 4)+"…", Clip(strings.Repeat("é", 6), 5))
	require.Equal(t, "abcd…", Clip("abcdef", 5))
	require.Empty(t, Clip("", 1))
}
