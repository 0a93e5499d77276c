package replay_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
)

// TestABlobIndexDoesNotGrowWithTheNamesInAFile has a file that names blobs by texts of
// a megabyte, which no event can name.
func TestABlobIndexDoesNotGrowWithTheNamesInAFile(t *testing.T) {
	var file bytes.Buffer
	for i := range 32 {
		fmt.Fprintf(&file, `{"blob":{"sha256":"%d%s","size":1,"media_type":""},"data":"AA=="}`+"\n", i,
			strings.Repeat("x", 1<<20))
	}
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	x, err := replay.IndexFile(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()))
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
	line := fmt.Appendf(nil, `{"blob":{"sha256":%q,"size":1,"media_type":""},"data":"%s"}`+"\n", digest,
		strings.Repeat("AAAA", 250_000))
	var file io.ReaderAt = repeated{line}
	x, err := replay.IndexFile(t.Context(), file, int64(len(line))*(replay.MaxBlobBytes/750_000+2))
	require.NoError(t, err)
	_, err = x.Blob(digest)
	require.ErrorIs(t, err, replay.ErrLimit)
}

func TestEventsOfAFileAreReadAgain(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("noisy"))
	file := exported(t, history, textShelf())
	index := func(file []byte) func(uint64) (*events.Event, error) {
		x, err := replay.IndexFile(t.Context(), bytes.NewReader(file), int64(len(file)))
		require.NoError(t, err)
		return x.Events()
	}
	again := index(file)
	back, err := imported(t, file)
	require.NoError(t, err)
	for _, want := range back.Events {
		got, err := again(want.Seq)
		require.NoError(t, err)
		require.Equal(t, want, *got)
	}
	_, err = again(history[len(history)-1].Seq + 1)
	require.ErrorIs(t, err, replay.ErrFormat)
	header, lines, _ := bytes.Cut(file, []byte("\n"))
	for name, other := range map[string][]byte{
		"no header":        lines,
		"an event first":   slices.Concat([]byte("{\"event\":{},\"seq\":1}\n"), lines),
		"a line of others": slices.Concat(header, []byte("\n{\"event\":{},\"seq\":1}\n"), lines),
		"no number":        slices.Concat(header, []byte("\n{\"seq\":\"1\",\"event\":{}}\n"), lines),
	} {
		require.Nil(t, index(other), name)
	}
}

// TestALineWithTwoSequencesIsNotReadAgain has a file whose line begins with another
// sequence than the one that counts, which is the last.
func TestALineWithTwoSequencesIsNotReadAgain(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("noisy"))
	file := exported(t, history, textShelf())
	seq := history[len(history)-1].Seq
	line := fmt.Appendf(nil, `{"seq":%d,`, seq)
	require.Equal(t, 1, bytes.Count(file, line))
	file = bytes.Replace(file, line, fmt.Appendf(nil, `{"seq":%d,"seq":%d,`, seq+1, seq), 1)
	_, err := imported(t, file)
	require.NoError(t, err)
	x, err := replay.IndexFile(t.Context(), bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	_, err = x.Events()(seq + 1)
	require.ErrorIs(t, err, replay.ErrFormat)
}
