package repomap_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/repomap"
)

func TestACacheGivesAFileInItsStateOnly(t *testing.T) {
	t.Parallel()
	var c repomap.Cache
	state := repomap.State{Folder: "/p", Path: "a.go", Size: 3, Modified: 5, Changed: 7}
	file := repomap.File{Path: "a.go", Names: []string{"Server"}}
	_, found := c.Get(state)
	require.False(t, found)
	c.Put(state, file)
	got, found := c.Get(state)
	require.True(t, found)
	require.Equal(t, file, got)
	for _, other := range []repomap.State{
		{Folder: "/q", Path: "a.go", Size: 3, Modified: 5, Changed: 7},
		{Folder: "/p", Path: "b.go", Size: 3, Modified: 5, Changed: 7},
		{Folder: "/p", Path: "a.go", Size: 4, Modified: 5, Changed: 7},
		{Folder: "/p", Path: "a.go", Size: 3, Modified: 6, Changed: 7},
		{Folder: "/p", Path: "a.go", Size: 3, Modified: 5, Changed: 8},
	} {
		_, found := c.Get(other)
		require.False(t, found, "%+v", other)
	}
	before := c.Bytes()
	state.Size = 4
	c.Put(state, file)
	require.Equal(t, before, c.Bytes(), "one state of a file is kept")
}

func TestACacheKeepsWithinItsBound(t *testing.T) {
	t.Parallel()
	state := func(path string) repomap.State { return repomap.State{Path: path} }
	filled := func(path string, size int) repomap.File {
		return repomap.File{Words: make([]uint64, (size-repomap.SizeOf(state(path), repomap.File{}))/8)}
	}
	var c repomap.Cache
	kept := func(path string) bool { _, found := c.Get(state(path)); return found }
	c.Begin()
	c.Put(state("whole"), filled("whole", repomap.MaxCache+8))
	require.False(t, kept("whole"))
	const half = repomap.MaxCache / 2
	c.Put(state("a001"), filled("a001", half))
	c.Put(state("a002"), filled("a002", half))
	require.Equal(t, repomap.MaxCache, c.Bytes())
	c.Put(state("a003"), repomap.File{})
	require.True(t, kept("a001") && kept("a002") && !kept("a003"), "what this map used stays")

	c.Begin()
	require.True(t, kept("a002"))
	c.Put(state("a003"), repomap.File{})
	require.True(t, !kept("a001") && kept("a002") && kept("a003"), "what only older maps used goes first")
	require.LessOrEqual(t, c.Bytes(), repomap.MaxCache)
}
