package hookgw_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

func TestABodyThatAnEventNamesIsServedByteForByte(t *testing.T) {
	t.Parallel()
	blobs := eventstest.NewMemory()
	f := open(t, func(c *core.Config) { c.Blobs = blobs })
	ref, err := blobs.Put(t.Context(), bytes.Repeat([]byte("<b>\x00\xff"), 500_000), "text/plain")
	require.NoError(t, err)
	a := f.get("/api/blobs/"+ref.SHA256, access.RightRead)
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, ref.SHA256, events.Digest(a.body))
	require.Equal(t, "application/octet-stream", a.header.Get("Content-Type"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
}

func TestABodyThatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Blobs = eventstest.NewMemory() })
	for _, digest := range []string{strings.Repeat("a", 64), strings.Repeat("A", 64), strings.Repeat("a", 63), "..", "x"} {
		require.Equal(t, http.StatusNotFound, f.get("/api/blobs/"+digest, access.RightRead).status, digest)
	}
	require.Equal(t, http.StatusNotFound, open(t).get("/api/blobs/"+strings.Repeat("a", 64), access.RightRead).status)
}
