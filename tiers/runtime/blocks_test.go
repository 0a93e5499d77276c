package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tools"
)

func TestBlocksOfAResultAreMaskedAndStored(t *testing.T) {
	t.Parallel()
	w, _, _ := externalWorker(t)
	store := eventstest.NewMemory()
	w.Blobs = store
	got := w.contents(t.Context(), []tools.Content{
		{Kind: events.ContentText, Text: "hunter2"},
		{Kind: events.ContentImage, Data: []byte("\x89hunter2"), Media: "image/png"},
		{Kind: events.ContentLink, URI: "u:hunter2", Name: "hunter2"},
		{Kind: events.ContentResource, URI: "u:a", Text: strings.Repeat("a", maxBlock)},
		{Kind: events.ContentResource, URI: "u:b", Text: strings.Repeat("b", maxBlock+1)},
	})
	require.Equal(t, events.Content{Kind: events.ContentText, Text: "***"}, got[0])
	require.Equal(t, events.ContentBytesMedia, got[1].Blob.MediaType)
	image, err := store.Get(t.Context(), got[1].Blob.SHA256)
	require.NoError(t, err)
	require.Equal(t, "\x89***", string(image))
	require.Equal(t, events.Content{Kind: events.ContentLink, URI: "u:***", Name: "***"}, got[2])
	require.Nil(t, got[3].Blob)
	require.Empty(t, got[4].Text)
	require.Equal(t, events.ContentTextMedia, got[4].Blob.MediaType)
	require.EqualValues(t, maxBlock+1, got[4].Blob.Size)
}

func TestTextsBeyondTheirSumAreStored(t *testing.T) {
	t.Parallel()
	w, _, _ := externalWorker(t)
	w.Blobs = eventstest.NewMemory()
	const each = maxBlock - 2 // with its quotes it has maxBlock bytes as JSON
	blocks := make([]tools.Content, maxBlocks/maxBlock+1)
	for i := range blocks {
		blocks[i] = tools.Content{Kind: events.ContentText, Text: strings.Repeat("a", each)}
	}
	got := w.contents(t.Context(), blocks)
	require.Nil(t, got[len(got)-2].Blob)
	require.NotNil(t, got[len(got)-1].Blob)
}

// broken stores nothing.
type broken struct{ events.Blobs }

func (broken) Put(context.Context, []byte, string) (events.BlobRef, error) {
	return events.BlobRef{}, errors.New("full")
}

func TestABlockThatCannotBeStoredSaysSo(t *testing.T) {
	t.Parallel()
	w, _, _ := externalWorker(t)
	w.Blobs = broken{}
	require.Equal(t, []events.Content{{Kind: events.ContentText, Text: "[image of 3 bytes could not be stored]"}},
		w.contents(t.Context(), []tools.Content{{Kind: events.ContentImage, Data: []byte("abc")}}))
}

func TestNoticesOfACallAreBoundedAsTheyAreRecorded(t *testing.T) {
	t.Parallel()
	w, _, _ := externalWorker(t)
	notices := make([]tools.Notice, events.MaxNotices)
	for i := range notices {
		notices[i] = tools.Notice{N: i + 1, Kind: events.NoticeLog, Text: strings.Repeat("<", 1024)}
	}
	got := site{Worker: w}.settled(t.Context(), events.ToolApproved{}, tools.Result{Notices: notices}, 0)
	require.Len(t, got.Notices, 5, "each has six bytes a character as JSON")
}
