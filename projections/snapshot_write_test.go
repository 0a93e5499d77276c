package projections_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/projections"
)

func TestASnapshotWritesWhatEncodingItWouldGive(t *testing.T) {
	t.Parallel()
	whole, err := projections.NewSet().Snapshot()
	require.NoError(t, err)
	for name, snap := range map[string]projections.Snapshot{
		"of all models": whole,
		"of none":       {Seq: 7, LastID: "<\"&", Models: []projections.ModelSnapshot{}},
		"of nothing":    {},
	} {
		want, err := json.Marshal(snap)
		require.NoError(t, err)
		var got bytes.Buffer
		n, err := snap.WriteTo(&got)
		require.NoError(t, err, name)
		require.Equal(t, string(want), got.String(), name)
		require.EqualValues(t, got.Len(), n, name)
	}
}

// refusing takes so many bytes and no more.
type refusing struct{ left int }

var errRefused = errors.New("full")

func (r *refusing) Write(b []byte) (int, error) {
	if len(b) > r.left {
		return 0, errRefused
	}
	r.left -= len(b)
	return len(b), nil
}

func TestASnapshotThatCannotBeWrittenSaysSo(t *testing.T) {
	t.Parallel()
	snap, err := projections.NewSet().Snapshot()
	require.NoError(t, err)
	n, err := snap.WriteTo(&refusing{left: 100})
	require.ErrorIs(t, err, errRefused)
	require.LessOrEqual(t, n, int64(100))
}
