package bus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// smallDisk is a file system of that many MiB.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", size))
	if err != nil {
		t.Skipf("a file system of its own cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// fillDisk leaves nothing free below dir until release is called.
func fillDisk(t *testing.T, dir string) (release func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, f.Close())
	return func() { require.NoError(t, os.Remove(path)) }
}

// noted appends a note of a thousand bytes.
func (b *bench) noted(t *testing.T, c *bus.Conn) (events.Event, error) {
	e := b.Event(t, "ada", events.GoalSubmitted{Goal: strings.Repeat("x", 1000)})
	seq, err := c.Append(b.ctx, e, nil)
	e.Seq = seq
	return e, err
}

// requireStored reads every acknowledged event at its place.
func requireStored(t *testing.T, ctx context.Context, log events.Log, acked []events.Event) {
	t.Helper()
	at := map[uint64]string{}
	got, err := read(t, ctx, log, events.Filter{})
	require.NoError(t, err)
	for _, e := range got {
		at[e.Seq] = e.ID
	}
	for _, e := range acked {
		require.Equal(t, e.ID, at[e.Seq], "sequence %d", e.Seq)
	}
}

func TestFullDiskIsRefusedAtOnceAndLeftByItself(t *testing.T) {
	t.Parallel()
	for _, durability := range []string{bus.Sync, bus.Relaxed} {
		t.Run(durability, func(t *testing.T) {
			t.Parallel()
			dir := smallDisk(t, 24)
			b := setup(t, func(c *bus.Config) { c.Dir, c.Durability = filepath.Join(dir, "data"), durability })
			c := b.as(t, ada)
			var acked []events.Event
			for range 200 {
				e, err := b.noted(t, c)
				require.NoError(t, err)
				acked = append(acked, e)
			}
			require.NoError(t, c.Room())

			release := fillDisk(t, dir)
			var err error
			for began := time.Now(); err == nil; { // until a write failed, or the watch saw it
				var e events.Event
				if e, err = b.noted(t, c); err == nil {
					acked = append(acked, e)
				}
				require.Less(t, time.Since(began), eventstest.Patience)
			}
			require.ErrorIs(t, err, events.ErrDiskFull)
			require.ErrorIs(t, err, events.ErrFull)
			require.ErrorIs(t, c.Room(), events.ErrDiskFull)
			_, err = b.noted(t, c)
			require.ErrorIs(t, err, events.ErrDiskFull, "and it stays so")
			_, err = b.as(t, worker1).CreateClaim(b.ctx, "s1.c1", []byte("{}"))
			if err != nil { // an empty stream may take it
				require.ErrorIs(t, err, events.ErrDiskFull)
			}
			requireStored(t, b.ctx, c, acked)

			release()
			require.Eventually(t, func() bool {
				e, err := b.noted(t, c)
				if err == nil {
					acked = append(acked, e)
				}
				return err == nil
			}, eventstest.Patience, 10*time.Millisecond)
			require.NoError(t, c.Room())
			requireStored(t, b.ctx, c, acked)
			e, err := b.noted(t, c)
			require.NoError(t, err)
			require.Equal(t, acked[len(acked)-1].Seq+1, e.Seq)
			require.NoError(t, b.srv.Close())
		})
	}
}

func TestLastRoomOfTheDiskIsForClosing(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 32)
	b := setup(t, func(c *bus.Config) { c.Dir = filepath.Join(dir, "data") })
	c := b.as(t, ada)
	_, err := b.noted(t, c)
	require.NoError(t, err)
	var st unix.Statfs_t
	require.NoError(t, unix.Statfs(dir, &st))
	filler, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	require.NoError(t, unix.Fallocate(int(filler.Fd()), 0, 0, int64(st.Bavail)*st.Bsize-1<<20))
	require.NoError(t, filler.Close())
	require.Eventually(t, func() bool { return c.Room() != nil }, eventstest.Patience, 10*time.Millisecond)
	_, err = b.noted(t, c)
	require.ErrorIs(t, err, events.ErrDiskFull, "a goal is new work")
	_, err = b.as(t, worker1).Put(b.ctx, []byte("large"), "")
	require.ErrorIs(t, err, events.ErrDiskFull)
	closed := b.Event(t, "ada", events.SessionClosed{Reason: "closed by hand"})
	closed.Seq, err = c.Append(b.ctx, closed, nil)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filler.Name()))
	require.Eventually(t, func() bool { return c.Room() == nil }, eventstest.Patience, 10*time.Millisecond)
	_, err = b.noted(t, c)
	require.NoError(t, err)
	requireStored(t, b.ctx, c, []events.Event{closed})
}

// TestAppendThatWaitsIsRefusedWhenTheDiskIsFull has writers that are in the
// middle of it when the first write fails.
func TestAppendThatWaitsIsRefusedWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 24)
	b := setup(t, func(c *bus.Config) { c.Dir = filepath.Join(dir, "data") })
	c := b.as(t, ada)
	_, err := b.noted(t, c)
	require.NoError(t, err)
	failed := make(chan error, 8)
	t.Cleanup(fillDisk(t, dir))
	for range cap(failed) {
		go func() {
			for {
				e := b.Event(t, "ada", events.GoalSubmitted{Goal: strings.Repeat("x", 1000)})
				if _, err := c.Append(b.ctx, e, nil); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	for range cap(failed) {
		require.ErrorIs(t, <-failed, events.ErrDiskFull)
	}
	require.Error(t, c.Room())
}

// TestAMessageThatTheDiskDidNotTakeIsNotMissed has the first body of a new store
// meet a full disk. The server counts it, although it is not stored. The bus
// listens on a port of its own, which it keeps while it opens the streams again.
func TestAMessageThatTheDiskDidNotTakeIsNotMissed(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 24)
	data := filepath.Join(dir, "data")
	b := setup(t, func(c *bus.Config) { c.Dir, c.Listen, c.Durability = data, bustest.Address(t), bus.Relaxed })
	c := b.as(t, ada)
	release := fillDisk(t, dir)
	filler, err := os.Stat(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(filepath.Join(dir, "filler"), filler.Size()-32<<10)) // for the record of the ends
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)                              // a frozen stream does not answer
	defer cancel()
	_, err = c.Put(ctx, make([]byte, 200<<10), "x/y")
	require.Error(t, err)
	require.Eventually(t, func() bool { return c.Room() != nil }, eventstest.Patience, time.Millisecond)
	release()
	require.Eventually(t, func() bool { _, err := b.noted(t, c); return err == nil }, eventstest.Patience,
		10*time.Millisecond)
	copied := t.TempDir() // as a crash leaves it
	require.NoError(t, os.CopyFS(copied, os.DirFS(data)))
	s, err := bus.Open(b.ctx, bus.Config{Dir: copied, Project: bustest.Project, Durability: bus.Relaxed})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
