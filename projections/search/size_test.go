package search_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events/eventstest"
	"manualslop/projections/search"
	"manualslop/projections/sessiongen"
)

// mostOfBodies bounds the size of an index beside the bodies of its events.
const mostOfBodies = 1.2

func TestAnIndexIsSmallerThanItsEvents(t *testing.T) {
	t.Parallel()
	log, bodies := eventstest.NewMemory(), 0
	for seed := range uint64(10) {
		for _, e := range sessiongen.GenerateSession(seed, 1000) {
			bodies += len(e.Data)
			_, err := log.Append(t.Context(), e, nil)
			require.NoError(t, err)
		}
	}
	dir := t.TempDir()
	x := search.New(search.Options{Dir: dir, Log: log, Project: sessiongen.Project})
	require.NoError(t, x.Open(t.Context()))
	require.NoError(t, x.CatchUp(t.Context(), 0))
	require.NoError(t, x.Close())
	size := 0
	require.NoError(t, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			require.NoError(t, err)
			size += int(info.Size())
		}
		return err
	}))
	ratio := float64(size) / float64(bodies)
	t.Logf("%d kB of bodies, %d kB on disk: %.2f", bodies/1000, size/1000, ratio)
	require.LessOrEqual(t, ratio, mostOfBodies)
}
