package projections_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/projections"
	"manualslop/projections/sessiongen"
)

// asStored is a snapshot as it is stored.
func asStored(t *testing.T, snap projections.Snapshot) []byte {
	t.Helper()
	var out bytes.Buffer
	n, err := snap.WriteTo(&out)
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), n)
	return out.Bytes()
}

func TestAStoredSnapshotIsReadBack(t *testing.T) {
	t.Parallel()
	whole, err := foldAll(decoded(t, sessiongen.GenerateSession(5, 300))).Snapshot()
	require.NoError(t, err)
	for name, snap := range map[string]projections.Snapshot{
		"of all models": whole,
		"of none":       {Seq: 7, LastID: "<\"&\n", Models: []projections.ModelSnapshot{}},
	} {
		var got projections.Snapshot
		n, err := got.ReadFrom(bytes.NewReader(asStored(t, snap)))
		require.NoError(t, err, name)
		require.Equal(t, snap, got, name)
		require.EqualValues(t, len(asStored(t, snap)), n, name)
	}
}

func TestADamagedSnapshotIsRefused(t *testing.T) {
	t.Parallel()
	snap, err := foldAll(decoded(t, sessiongen.GenerateSession(5, 300))).Snapshot()
	require.NoError(t, err)
	whole := asStored(t, snap)
	head := bytes.IndexByte(whole, '\n')
	for name, b := range map[string][]byte{
		"nothing":          nil,
		"half a head":      whole[:head/2],
		"a head alone":     whole[:head+1],
		"a byte too few":   whole[:len(whole)-1],
		"a byte too many":  append(bytes.Clone(whole), '}'),
		"no head":          append([]byte("{\n"), whole...),
		"an endless head":  []byte(`{"last_id":"` + strings.Repeat("x", 1<<20) + "\"}\n"),
		"a negative state": []byte(`{"models":[{"name":"asks","version":1,"size":-1}]}` + "\n"),
		"too large states": fmt.Appendf(nil, `{"models":[{"name":"asks","version":1,"size":%d}]}`+"\n", 256<<20+1),
	} {
		var got projections.Snapshot
		_, err := got.ReadFrom(bytes.NewReader(b))
		require.ErrorIs(t, err, projections.ErrStale, name)
		require.Zero(t, got, name)
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
	whole := len(asStored(t, snap))
	for _, room := range []int{0, 100, whole - 1} {
		n, err := snap.WriteTo(&refusing{left: room})
		require.ErrorIs(t, err, errRefused)
		require.LessOrEqual(t, n, int64(room))
	}
	_, err = snap.WriteTo(io.Discard)
	require.NoError(t, err)
}
