package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsReturnedOnceBehindAPieceOfWork(t *testing.T) {
	t.Parallel()
	var w work
	var allocated uint64
	looks := func(n int, fresh uint64) (ended int) {
		for range n {
			allocated += fresh
			if w.ended(allocated) {
				ended++
			}
		}
		return ended
	}
	require.Zero(t, looks(10*quietLooks, quietBytes/2), "an idle process returns nothing")
	require.Zero(t, looks(workBytes/(2*quietBytes), 2*quietBytes))
	require.Zero(t, looks(quietLooks-1, 0))
	require.Zero(t, looks(1, 2*quietBytes), "it works again")
	require.Equal(t, 1, looks(10*quietLooks, quietBytes/2))
	require.Zero(t, looks(1, 2*quietBytes), "too little to return")
	require.Zero(t, looks(2*quietLooks, 0))
	require.Equal(t, 0, looks(10, workBytes))
	require.Equal(t, 1, looks(2*quietLooks, 0))
}

func TestAProcessIsIdleWhileItAllocatesLittle(t *testing.T) {
	t.Parallel()
	var w work
	var allocated uint64
	look := func(fresh uint64) bool {
		allocated += fresh
		w.ended(allocated)
		return w.idle()
	}
	for range quietLooks - 1 {
		require.False(t, look(quietBytes))
	}
	require.True(t, look(quietBytes))
	require.True(t, look(0))
	require.False(t, look(quietBytes+1))
}

func TestAMemoryLimitIsSetAnewWhenItChangesMuch(t *testing.T) {
	t.Parallel()
	require.True(t, differs(memoryLimit(0), 0))
	require.False(t, differs(memoryLimit(1<<20), memoryLimit(0)))
	require.False(t, differs(memoryLimit(400<<20), memoryLimit(410<<20)))
	require.True(t, differs(memoryLimit(400<<20), memoryLimit(500<<20)))
}
