package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/site"
	"manualslop/cmd/slop/term"
)

func TestTurnsOrderWhatIsAlone(t *testing.T) {
	t.Parallel()
	var order turns
	open := func(waits []*barrier) bool {
		for _, b := range waits {
			select {
			case <-b.open:
			default:
				return false
			}
		}
		return true
	}
	first, firstEnds := order.next(false)
	second, secondEnds := order.next(false)
	write, writeEnds := order.next(true)
	again, againEnds := order.next(true)
	behind, _ := order.next(false)
	require.True(t, open(first) && open(second), "reads go at once")
	require.False(t, open(write))
	firstEnds.done()
	require.False(t, open(write))
	secondEnds.done()
	require.True(t, open(write))
	require.False(t, open(again) || open(behind))
	writeEnds.done()
	require.True(t, open(again))
	require.False(t, open(behind))
	againEnds.done()
	require.True(t, open(behind))
}

func TestABarrierGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newBarrier().wait(ctx), context.Canceled)
}

// batch runs slop tool batch over a project.
func batch(t testing.TB, dir string, in io.Reader, out io.Writer) error {
	t.Helper()
	g := &site.Flags{Terminal: term.Terminal{In: in, Out: out, Err: io.Discard, Quiet: true}, ProjectDir: dir}
	return batchTools(t.Context(), g, true)
}

func TestAWriteAndItsReadsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("0\n"), 0o600))
	var in, out bytes.Buffer
	const rounds = 60
	for i := range rounds {
		fmt.Fprintf(&in, `{"tool":"edit_file","args":{"path":"a.txt","old_string":"%d\n","new_string":"%d\n"}}`+"\n", i, i+1)
		for range 3 {
			in.WriteString(`{"tool":"read_file","args":{"path":"a.txt"}}` + "\n")
		}
	}
	require.NoError(t, batch(t, dir, &in, &out))
	dec := json.NewDecoder(&out)
	for i := range rounds {
		for j := range 4 {
			var answer struct {
				OK   bool   `json:"ok"`
				Text string `json:"text"`
			}
			require.NoError(t, dec.Decode(&answer))
			require.True(t, answer.OK, answer.Text)
			if j > 0 {
				require.Equal(t, fmt.Sprintf("%d\n", i+1), answer.Text)
			}
		}
	}
}

// failingWriter takes so many writes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// endless is an input without an end.
type endless struct{ line []byte }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.line), nil }

func TestAClosedOutputEndsTheBatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.ErrorIs(t, batch(t, dir, endless{[]byte(`{"tool":"list_directory","args":{"path":"."}}` + "\n")},
		&failingWriter{left: 5}), io.ErrClosedPipe)
}

func TestAnAnswerDoesNotWaitForMoreInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- batch(t, dir, inRead, outWrite) }()
	answers := json.NewDecoder(outRead)
	for range 3 {
		_, err := io.WriteString(inWrite, `{"tool":"list_directory","args":{"path":"."}}`+"\n")
		require.NoError(t, err)
		var answer map[string]any
		require.NoError(t, answers.Decode(&answer))
		require.Equal(t, true, answer["ok"])
	}
	require.NoError(t, inWrite.Close())
	require.NoError(t, <-done)
}

func BenchmarkBatch(b *testing.B) {
	dir := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Repeat("line\n", 40)), 0o600))
	lines := strings.Repeat(`{"tool":"read_file","args":{"path":"a.txt"}}`+"\n", 1_000)
	for b.Loop() {
		require.NoError(b, batch(b, dir, strings.NewReader(lines), io.Discard))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1_000, "µs/call")
}
