package hookgw_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw"
)

// blobMap is a store of bodies in memory.
type blobMap map[string][]byte

// Put stores b under its digest.
func (m blobMap) Put(_ context.Context, b []byte, mediaType string) (events.BlobRef, error) {
	m[events.Digest(b)] = b
	return events.BlobRef{SHA256: events.Digest(b), Size: int64(len(b)), MediaType: mediaType}, nil
}

// Get reads b by its digest.
func (m blobMap) Get(_ context.Context, sha256 string) ([]byte, error) {
	if b, ok := m[sha256]; ok {
		return b, nil
	}
	return nil, events.ErrNoBlob
}

func TestABodyThatAnEventNamesIsServedByteForByte(t *testing.T) {
	t.Parallel()
	blobs := blobMap{}
	f := open(t, func(c *hookgw.Config) { c.Blobs = blobs })
	ref, err := blobs.Put(t.Context(), bytes.Repeat([]byte("<b>\x00\xff"), 500_000), "text/plain")
	require.NoError(t, err)
	a := f.get("/api/blobs/"+ref.SHA256, hookgw.RightRead)
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, ref.SHA256, events.Digest(a.body))
	require.Equal(t, "application/octet-stream", a.header.Get("Content-Type"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
}

func TestABodyThatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *hookgw.Config) { c.Blobs = blobMap{} })
	for _, digest := range []string{strings.Repeat("a", 64), strings.Repeat("A", 64), strings.Repeat("a", 63), "..", "x"} {
		require.Equal(t, http.StatusNotFound, f.get("/api/blobs/"+digest, hookgw.RightRead).status, digest)
	}
	require.Equal(t, http.StatusNotFound, open(t).get("/api/blobs/"+strings.Repeat("a", 64), hookgw.RightRead).status)
}
