package replay_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/replay"
)

// TestABlobIndexDoesNotGrowWithTheNamesInAFile has a file that names blobs by texts of
// a megabyte, which no event can name.
//
//nolint:paralleltest // it measures the heap of the process.
func TestABlobIndexDoesNotGrowWithTheNamesInAFile(t *testing.T) {
	var file bytes.Buffer
	for i := range 32 {
		fmt.Fprintf(&file, `{"blob":{"sha256":"%d%s","size":1,"media_type":""},"data":"AA=="}`+"\n", i, strings.Repeat("x", 1<<20))
	}
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	x, err := replay.IndexBlobs(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Less(t, held()-before, int64(8<<20))
	runtime.KeepAlive(x)
	runtime.KeepAlive(&file)
}

// repeated is a file of one line, again and again.
type repeated struct{ line []byte }

func (f repeated) ReadAt(b []byte, at int64) (int, error) {
	for n := range b {
		b[n] = f.line[(at+int64(n))%int64(len(f.line))]
	}
	return len(b), nil
}

func TestABlobOfMorePiecesThanABlobHasIsRefused(t *testing.T) {
	t.Parallel()
	digest := strings.Repeat("ab", 32)
	line := fmt.Appendf(nil, `{"blob":{"sha256":%q,"size":1,"media_type":""},"data":"%s"}`+"\n", digest, strings.Repeat("AAAA", 250_000))
	var file io.ReaderAt = repeated{line}
	x, err := replay.IndexBlobs(t.Context(), file, int64(len(line))*(replay.MaxBlobBytes/750_000+2))
	require.NoError(t, err)
	_, err = x.Blob(digest)
	require.ErrorIs(t, err, replay.ErrLimit)
}
