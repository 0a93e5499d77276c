package bus_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
)

func TestOneOfManyClaimsWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conns := []*bus.Conn{b.as(t, worker1), b.as(t, worker2)}
	errs := make([]error, 16)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = conns[i%2].CreateClaim(b.ctx, "01J-0", []byte("the same value")) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		require.ErrorIs(t, err, bus.ErrClaimed)
	}
	require.Equal(t, 1, won)
}

func TestClaimIsReplacedOnlyAtItsRevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, worker1)
	_, _, err := c.Claim(b.ctx, "01J-0")
	require.ErrorIs(t, err, bus.ErrNoKey)
	rev, err := c.CreateClaim(b.ctx, "01J-0", []byte("one"))
	require.NoError(t, err)
	next, err := c.UpdateClaim(b.ctx, "01J-0", []byte("two"), rev)
	require.NoError(t, err)
	_, err = c.UpdateClaim(b.ctx, "01J-0", []byte("three"), rev)
	require.ErrorIs(t, err, events.ErrConflict)
	value, got, err := c.Claim(b.ctx, "01J-0")
	require.NoError(t, err)
	require.Equal(t, "two", string(value))
	require.Equal(t, next, got)
}

func TestClaimsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, worker1)
	_, err := c.CreateClaim(b.ctx, "large", make([]byte, bus.MaxClaim))
	require.NoError(t, err)
	_, err = c.CreateClaim(b.ctx, "larger", make([]byte, bus.MaxClaim+1))
	require.ErrorIs(t, err, events.ErrTooLarge)
	for _, key := range []string{"", ".", "a..b", "a.", "a b", "a*", ">", "ü", strings.Repeat("k", 257)} {
		_, err := c.CreateClaim(b.ctx, key, nil)
		require.ErrorIs(t, err, bus.ErrNoKey, key)
	}
}

func TestSnapshotsComeAndGo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, bus.Role{Kind: bus.Gateway})
	var got map[string]int
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.s1", &got), bus.ErrNoKey)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.s1", map[string]int{"seq": 1}))
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.s1", map[string]int{"seq": 2}))
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s1", &got))
	require.Equal(t, map[string]int{"seq": 2}, got)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.s1", bytes.NewBufferString(`{"seq":3}`)), "it writes its JSON itself")
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s1", &got))
	require.Equal(t, map[string]int{"seq": 3}, got)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.large", strings.Repeat("compressible ", 1<<20)))
	noise := make([]byte, 1<<20)
	_, err := rand.Read(noise)
	require.NoError(t, err)
	require.NoError(t, c.PutSnapshot(b.ctx, "folds.p1.noise", "small"))
	require.ErrorIs(t, c.PutSnapshot(b.ctx, "folds.p1.noise", noise), events.ErrTooLarge)
	var kept string
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.noise", &kept))
	require.Equal(t, "small", kept, "the one before stays")
	require.NoError(t, c.DropSnapshot(b.ctx, "folds.p1.noise"))
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.noise", &kept), bus.ErrNoKey)
	require.NotZero(t, bustest.ForgetSnapshots(t, b.srv))
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.s1", &got), bus.ErrNoKey)
	require.ErrorIs(t, b.as(t, worker1).PutSnapshot(b.ctx, "x", 1), events.ErrDenied)
}

func TestSnapshotMayHaveTheWholeLimitAndNotAByteMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, bus.Role{Kind: bus.Gateway})
	put := func(n int) error {
		noise := make([]byte, n)
		_, err := rand.Read(noise)
		require.NoError(t, err)
		return c.PutSnapshot(b.ctx, "folds.p1.noise", writesItself(noise))
	}
	low, high := 0, bus.MaxStoredSnapshot // the first fits
	for high-low > 1 {
		if mid := (low + high) / 2; put(mid) == nil {
			low = mid
		} else {
			high = mid
		}
	}
	require.NoError(t, put(low))
	require.ErrorIs(t, put(low+1), events.ErrTooLarge)
	require.Greater(t, low, bus.MaxStoredSnapshot-1<<10, "it is the limit, and not the server's")
}

// writesItself is bytes in place of JSON.
type writesItself []byte

// WriteTo writes them.
func (w writesItself) WriteTo(to io.Writer) (int64, error) {
	n, err := to.Write(w)
	return int64(n), err
}

func TestOldestSnapshotGoesWhenThereIsNoRoomForANewOne(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.MaxBytes = bus.MinBudget })
	c := b.as(t, bus.Role{Kind: bus.Gateway})
	noise := make([]byte, 16<<10)
	for n := range 50 {
		_, err := rand.Read(noise)
		require.NoError(t, err)
		require.NoError(t, c.PutSnapshot(b.ctx, fmt.Sprint("folds.p1.s", n), noise))
	}
	var got []byte
	require.ErrorIs(t, c.Snapshot(b.ctx, "folds.p1.s0", &got), bus.ErrNoKey)
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s49", &got))
	require.Equal(t, noise, got)
	large := make([]byte, 300<<10)
	_, err := rand.Read(large)
	require.NoError(t, err)
	require.ErrorIs(t, c.PutSnapshot(b.ctx, "folds.p1.large", large), events.ErrTooLarge, "it would push out all others")
	require.NoError(t, c.Snapshot(b.ctx, "folds.p1.s49", &got))
}

func TestBlobOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.as(t, worker1).Put(b.ctx, make([]byte, bus.MaxBlob+1), "")
	require.ErrorIs(t, err, events.ErrTooLarge)
}

func TestConcurrentPutsOfTheSameBytesSucceed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := bytes.Repeat([]byte("x"), 600<<10)
	errs := make([]error, 8)
	var wg sync.WaitGroup
	c := b.as(t, worker1)
	for i := range errs {
		wg.Go(func() { _, errs[i] = c.Put(b.ctx, body, "") })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	got, err := c.Get(b.ctx, events.Digest(body))
	require.NoError(t, err)
	require.True(t, bytes.Equal(body, got))
}
