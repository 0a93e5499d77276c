package bus_test

import (
	"bytes"
	"crypto/rand"
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
	require.ErrorIs(t, c.Snapshot(b.ctx, "gui.s1", &got), bus.ErrNoKey)
	require.NoError(t, c.PutSnapshot(b.ctx, "gui.s1", map[string]int{"seq": 1}))
	require.NoError(t, c.PutSnapshot(b.ctx, "gui.s1", map[string]int{"seq": 2}))
	require.NoError(t, c.Snapshot(b.ctx, "gui.s1", &got))
	require.Equal(t, map[string]int{"seq": 2}, got)
	require.NoError(t, c.PutSnapshot(b.ctx, "gui.s1", bytes.NewBufferString(`{"seq":3}`)), "it writes its JSON itself")
	require.NoError(t, c.Snapshot(b.ctx, "gui.s1", &got))
	require.Equal(t, map[string]int{"seq": 3}, got)
	require.NoError(t, c.PutSnapshot(b.ctx, "large", strings.Repeat("compressible ", 1<<20)))
	noise := make([]byte, 1<<20)
	_, err := rand.Read(noise)
	require.NoError(t, err)
	require.ErrorIs(t, c.PutSnapshot(b.ctx, "noise", noise), events.ErrTooLarge)
	require.NotZero(t, bustest.ForgetSnapshots(t, b.srv))
	require.ErrorIs(t, c.Snapshot(b.ctx, "gui.s1", &got), bus.ErrNoKey)
	require.ErrorIs(t, b.as(t, worker1).PutSnapshot(b.ctx, "x", 1), events.ErrDenied)
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
