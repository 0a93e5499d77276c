package core

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyNamesOfSomeLengthAreCompared(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("n", maxComparedName)
	require.Equal(t, []string{longest + "m"}, Nearest(longest, []string{longest + "m"}))
	require.Empty(t, Nearest(longest+"n", []string{longest + "m"}))
}
