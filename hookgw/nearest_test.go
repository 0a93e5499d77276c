package hookgw

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyNamesOfSomeLengthAreCompared(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("n", maxComparedName)
	require.Equal(t, []string{longest + "m"}, nearest(longest, []string{longest + "m"}))
	require.Empty(t, nearest(longest+"n", []string{longest + "m"}))
}
