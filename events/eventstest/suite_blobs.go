package eventstest

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// TestBlobs checks that a store fulfils the contract of events.Blobs. Each call of open must
// return an empty store that lives until its test ends.
func TestBlobs(t *testing.T, open func(testing.TB) events.Blobs) {
	t.Parallel()
	for name, run := range map[string]func(context.Context, *testing.T, events.Blobs){
		"bytes of every size come back":     blobSizes,
		"the same bytes are stored once":    blobTwice,
		"a foreign digest is no blob":       blobMissing,
		"the caller's bytes are not shared": blobCopies,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), Patience)
			defer cancel()
			run(ctx, t, open(t))
		})
	}
}

func blobSizes(ctx context.Context, t *testing.T, b events.Blobs) {
	for _, size := range []int{0, 1, events.MaxInline, events.MaxInline + 1, 256 << 10, 256<<10 + 1, 3 << 20} {
		body := bytes.Repeat([]byte("0123456789abcdef\x00\xff"), size/18+1)[:size]
		ref, err := b.Put(ctx, body, "text/plain")
		require.NoError(t, err)
		require.Equal(t, events.BlobRef{SHA256: events.Digest(body), Size: int64(size), MediaType: "text/plain"}, ref)
		got, err := b.Get(ctx, ref.SHA256)
		require.NoError(t, err)
		require.True(t, bytes.Equal(body, got), "%d bytes", size)
	}
}

func blobTwice(ctx context.Context, t *testing.T, b events.Blobs) {
	first, err := b.Put(ctx, []byte("same"), "text/plain")
	require.NoError(t, err)
	again, err := b.Put(ctx, []byte("same"), "text/plain")
	require.NoError(t, err)
	require.Equal(t, first, again)
	got, err := b.Get(ctx, first.SHA256)
	require.NoError(t, err)
	require.Equal(t, "same", string(got))
}

func blobMissing(ctx context.Context, t *testing.T, b events.Blobs) {
	for _, digest := range []string{events.Digest([]byte("never stored")), "", "no digest at all",
		strings.Repeat("*", 64)} {
		_, err := b.Get(ctx, digest)
		require.ErrorIs(t, err, events.ErrNoBlob, digest)
	}
}

func blobCopies(ctx context.Context, t *testing.T, b events.Blobs) {
	body := []byte("mine")
	ref, err := b.Put(ctx, body, "")
	require.NoError(t, err)
	body[0] = 'f'
	got, err := b.Get(ctx, ref.SHA256)
	require.NoError(t, err)
	require.Equal(t, "mine", string(got))
	got[0] = 'f'
	got, err = b.Get(ctx, ref.SHA256)
	require.NoError(t, err)
	require.Equal(t, "mine", string(got))
}
