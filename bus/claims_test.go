package bus_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
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
		require.ErrorIs(t, err, events.ErrClaimed)
	}
	require.Equal(t, 1, won)
}

func TestClaimIsReplacedOnlyAtItsRevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, worker1)
	_, _, err := c.Claim(b.ctx, "01J-0")
	require.ErrorIs(t, err, events.ErrNoKey)
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
		require.ErrorIs(t, err, events.ErrNoKey, key)
	}
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
