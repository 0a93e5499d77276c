package bus_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

func TestSnapshotsComeAndGo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, gateway)
	var got map[string]int
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.s1", &got), events.ErrNoKey)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.s1", map[string]int{"seq": 1}))
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.s1", map[string]int{"seq": 2}))
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s1", &got))
	require.Equal(t, map[string]int{"seq": 2}, got)
	own := bytes.NewBufferString(`{"seq":3}`)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.s1", own), "it writes its JSON itself")
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s1", &got))
	require.Equal(t, map[string]int{"seq": 3}, got)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.large", strings.Repeat("compressible ", 1<<20)))
	require.NoError(t, c.DropSnapshot(b.ctx, "folds.p1.large"))
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.large", &got), events.ErrNoKey)
	require.NotZero(t, bustest.ForgetSnapshots(t, b.srv))
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.s1", &got), events.ErrNoKey)
	require.ErrorIs(t, b.as(t, worker1).PutSnapshot(b.ctx, "x", 1), events.ErrDenied)
}

// TestSnapshotMayHaveTheWholeLimitAndNotAByteMore stores noise, which takes a few
// bytes more when it is compressed: in one message, in as many pieces as there
// may be, and in a quarter of a small stream.
func TestSnapshotMayHaveTheWholeLimitAndNotAByteMore(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		role          bus.Role
		key           string
		budget, limit int
	}{
		"one message":           {conductor, "states.p1.s1.conductor", 10 << 30, bus.MaxStoredSnapshot},
		"all pieces":            {gateway, "folds.p1.s1", 10 << 30, bus.MaxSnapshotPieces * bus.MaxStoredSnapshot},
		"a quarter of a stream": {gateway, "folds.p1.s1", 32 * 4 * 2 * bus.MaxStoredSnapshot, 2 * bus.MaxStoredSnapshot},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(c *bus.Config) { c.MaxBytes = int64(of.budget) })
			c := b.as(t, of.role)
			noise := make([]byte, of.limit+1)
			_, err := rand.Read(noise)
			require.NoError(t, err)
			low, high := of.limit-4<<10, of.limit // the first fits
			for high-low > 1 {
				if mid := (low + high) / 2; c.PutSnapshot(b.ctx, of.key, &ownForm{noise[:mid]}) == nil {
					low = mid
				} else {
					high = mid
				}
			}
			require.NoError(t, c.PutSnapshot(b.ctx, of.key, &ownForm{noise[:low]}))
			require.ErrorIs(t, c.PutSnapshot(b.ctx, of.key, &ownForm{noise[:low+1]}), events.ErrTooLarge)
			var kept ownForm
			require.NoError(t, c.Snapshot(b.ctx, of.key, &kept), "the one before stays")
			require.True(t, bytes.Equal(noise[:low], kept.bytes))
		})
	}
}

func TestSnapshotIsBoundedBeforeCompression(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, gateway)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.s1", zeros(bus.MaxSnapshot)))
	require.ErrorIs(t, c.PutSnapshot(b.ctx, "folds.p1.s1", zeros(bus.MaxSnapshot+1)), events.ErrTooLarge)
}

// inPieces stores noise under a key and returns it.
func (b *bench) inPieces(t *testing.T, c *bus.Conn, key string, size int) *ownForm {
	t.Helper()
	noise := make([]byte, size)
	_, err := rand.Read(noise)
	require.NoError(t, err)
	require.NoError(t, c.PutSnapshot(b.ctx, key, &ownForm{noise}))
	return &ownForm{noise}
}

func TestSnapshotInPiecesIsReadWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	const key, size = "folds.p1.s1", 3 << 20
	overwrite := func(key string, body []byte) func(*testing.T, *bench, *bus.Conn) {
		return func(t *testing.T, b *bench, _ *bus.Conn) {
			t.Helper()
			bustest.Overwrite(t, b.srv, key, body)
		}
	}
	for name, harm := range map[string]func(*testing.T, *bench, *bus.Conn){
		"a missing piece": overwrite(key+".piece-3", nil),
		"a damaged piece": overwrite(key+".piece-1", []byte("x")),
		"a damaged head":  overwrite(key, []byte(`{"pieces":`)),
		"no pieces":       overwrite(key, []byte(`{"pieces":0}`)),
		"too many pieces": overwrite(key, []byte(`{"pieces":25}`)),
		"a writer that was killed between two pieces": func(t *testing.T, b *bench, c *bus.Conn) {
			t.Helper()
			b.inPieces(t, c, "folds.p1.s2", size)
			for n := range 2 {
				piece := bus.StoredSnapshot(b.ctx, c, fmt.Sprintf("folds.p1.s2.piece-%d", n))
				bustest.Overwrite(t, b.srv, fmt.Sprintf("%s.piece-%d", key, n), piece)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c := b.as(t, gateway)
			b.inPieces(t, c, key, 2*size)
			whole := b.inPieces(t, c, key, size) // behind a longer one
			var got ownForm
			require.NoError(t, c.Snapshot(b.ctx, key, &got))
			require.True(t, bytes.Equal(whole.bytes, got.bytes))
			harm(t, b, c)
			got = ownForm{}
			require.Error(t, c.Snapshot(b.ctx, key, &got))
			require.Zero(t, got)
			require.NoError(t, c.PutSnapshot(b.ctx, key, whole))
			require.NoError(t, c.Snapshot(b.ctx, key, &got), "the next one is whole again")
			require.True(t, bytes.Equal(whole.bytes, got.bytes))
		})
	}
}

// TestRemovedSessionLeavesNoSnapshot writes a store anew, in which the sequences
// of all snapshots would be wrong.
func TestRemovedSessionLeavesNoSnapshot(t *testing.T) {
	t.Parallel()
	cfg, _, _ := twoSessions(t)
	b := setup(t, func(c *bus.Config) { c.Dir = cfg.Dir })
	b.inPieces(t, b.as(t, gateway), "folds.p1.s1", 3<<20)
	require.NoError(t, b.srv.Close())
	_, err := (&bus.Rewrite{Config: cfg, Keep: func(_, session string) bool { return session != "s1" }}).Do(t.Context())
	require.NoError(t, err)
	again := setup(t, func(c *bus.Config) { c.Dir = cfg.Dir })
	require.Zero(t, bustest.ForgetSnapshots(t, again.srv))
}

// ownForm is bytes in place of JSON.
type ownForm struct{ bytes []byte }

// WriteTo writes them.
func (f *ownForm) WriteTo(to io.Writer) (int64, error) {
	n, err := to.Write(f.bytes)
	return int64(n), err
}

// ReadFrom reads them.
func (f *ownForm) ReadFrom(from io.Reader) (n int64, err error) {
	f.bytes, err = io.ReadAll(from)
	return int64(len(f.bytes)), err
}

// zeros writes so many.
type zeros int

// WriteTo writes them block by block.
func (z zeros) WriteTo(to io.Writer) (written int64, err error) {
	block := make([]byte, 1<<20)
	for left := int(z); left > 0 && err == nil; {
		n, failed := to.Write(block[:min(left, len(block))])
		left, written, err = left-n, written+int64(n), failed
	}
	return written, err
}

func TestOldestSnapshotGoesWhenThereIsNoRoomForANewOne(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.MaxBytes = bus.MinBudget })
	c := b.as(t, gateway)
	noise := make([]byte, 16<<10)
	for n := range 50 {
		_, err := rand.Read(noise)
		require.NoError(t, err)
		require.NoError(t, c.PutSnapshot(b.ctx, fmt.Sprint("folds.p1.s", n), noise))
	}
	var got []byte
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.s0", &got), events.ErrNoKey)
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s49", &got))
	require.Equal(t, noise, got)
	large := make([]byte, 300<<10)
	_, err := rand.Read(large)
	require.NoError(t, err)
	require.ErrorIs(t, c.PutSnapshot(b.ctx, "folds.p1.large", large), events.ErrTooLarge, "it would push out all others")
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s49", &got))
}
