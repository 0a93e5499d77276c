package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMemoryLimitAlwaysLeavesRoomForGarbage(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 144<<20, memoryLimit(0))
	require.EqualValues(t, 144<<20, memoryLimit(80<<20))
	require.EqualValues(t, 175<<20, memoryLimit(100<<20))
	require.EqualValues(t, 7<<30, memoryLimit(4<<30))
}
