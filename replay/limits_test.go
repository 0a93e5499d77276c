package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// oneBlob is a store in which every blob is the same.
type oneBlob []byte

func (o oneBlob) Put(context.Context, []byte, string) (events.BlobRef, error) {
	return events.BlobRef{}, nil
}

func (o oneBlob) Get(_ context.Context, sha256 string) ([]byte, error) {
	if events.Digest(o) != sha256 {
		return nil, events.ErrNoBlob
	}
	return o, nil
}

// sample is a history of n previews, of which each of the first few names a blob.
func sample(t *testing.T, n, blobs int, body []byte) []events.Event {
	t.Helper()
	out := make([]events.Event, n)
	for i := range out {
		p := events.PreviewBuilt{Call: fmt.Sprint(i)}
		if i < blobs {
			p.DiffBlob = &events.BlobRef{SHA256: events.Digest(body), Size: int64(len(body)), MediaType: "text/plain"}
			if i > 0 {
				p.DiffBlob.SHA256 = fmt.Sprintf("missing-%d", i)
			}
		}
		e, err := events.New(events.Origin{ID: fmt.Sprintf("E%d", i), Time: time.Unix(0, 0), Project: "p", Session: "s",
			Actor: "worker-1", N: uint64(i + 1)}, p)
		require.NoError(t, err)
		e.Seq = uint64(i + 1)
		out[i] = e
	}
	return out
}

// readWithin reads a file within limits that change lowers.
func readWithin(t *testing.T, file []byte, change func(*limits)) error {
	t.Helper()
	p := newReader(bytes.NewReader(file), Sink{})
	change(&p.limits)
	return p.located(p.run(t.Context()))
}

func TestExportHoldsTheLimitOfEvents(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]error{3: nil, 4: ErrLimit} {
		x := newExporter(io.Discard)
		x.most = 3
		require.ErrorIs(t, x.run(t.Context(), eventstest.Each(sample(t, n, 0, nil)), nil), want)
	}
}

func TestEveryLimitOfAFileHoldsAtItsEdge(t *testing.T) {
	t.Parallel()
	body := []byte("0123456789")
	var b bytes.Buffer
	sum, err := Export(t.Context(), &b, eventstest.Each(sample(t, 8, 3, body)), oneBlob(body))
	require.NoError(t, err)
	require.Equal(t, Summary{Events: 8, Blobs: 1, Missing: 2, Chain: sum.Chain}, sum)
	longest := 0
	for _, line := range bytes.SplitAfter(b.Bytes(), []byte("\n")) {
		longest = max(longest, len(line))
	}
	for name, limit := range map[string]struct {
		at  int
		set func(*limits, int)
	}{
		"line":   {longest, func(l *limits, n int) { l.line = n }},
		"events": {8, func(l *limits, n int) { l.events = n }},
		"blobs":  {3, func(l *limits, n int) { l.blobs = n }},
		"blob":   {len(body), func(l *limits, n int) { l.blob = int64(n) }},
		"file":   {b.Len(), func(l *limits, n int) { l.file = int64(n) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, readWithin(t, b.Bytes(), func(l *limits) { limit.set(l, limit.at) }))
			err := readWithin(t, b.Bytes(), func(l *limits) { limit.set(l, limit.at-1) })
			require.ErrorIs(t, err, ErrLimit)
			var f *FileError
			require.ErrorAs(t, err, &f)
		})
	}
}

func TestTheLimitsAreTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	require.Equal(t, limits{line: MaxLine, events: MaxEvents, blobs: MaxBlobs, blob: MaxBlobBytes, file: MaxFileBytes},
		newReader(&bytes.Buffer{}, Sink{}).limits)
}

func TestAnEventOfTheLargestSizeFitsALine(t *testing.T) {
	t.Parallel()
	history := sample(t, 1, 0, nil)
	history[0].Payload = nil
	history[0].Data = json.RawMessage(`{"call":"c","diff":"` + string(bytes.Repeat([]byte("x"), events.MaxEventBytes)) +
		`"}`)
	var b bytes.Buffer
	_, err := Export(t.Context(), &b, eventstest.Each(history), nil)
	require.NoError(t, err)
	_, err = Import(t.Context(), &b)
	require.NoError(t, err)
}

func TestABlobThatIsNotWhatItSaysIsRefused(t *testing.T) {
	t.Parallel()
	body := []byte("0123456789")
	var b bytes.Buffer
	_, err := Export(t.Context(), &b, eventstest.Each(sample(t, 1, 1, body)), oneBlob(body))
	require.NoError(t, err)
	for name, c := range map[string][2]string{
		"other bytes":      {`"MDEyMzQ1Njc4OQ=="`, `"MDEyMzQ1Njc4OA=="`},
		"fewer bytes":      {`"MDEyMzQ1Njc4OQ=="`, `"MDEyMzQ1Njc4"`},
		"more bytes":       {`"MDEyMzQ1Njc4OQ=="`, `"MDEyMzQ1Njc4OTA="`},
		"no bytes":         {`,"data":"MDEyMzQ1Njc4OQ=="`, ``},
		"a later piece":    {`"data":"MD`, `"part":1,"data":"MD`},
		"a negative size":  {`"size":10,"media_type":"text/plain"},"data"`, `"size":-10,"media_type":"text/plain"},"data"`},
		"said to be gone":  {`,"data":"MDEyMzQ1Njc4OQ=="`, `,"missing":true`},
		"gone and there":   {`"data":"MD`, `"missing":true,"data":"MD`},
		"not in base64":    {`"MDEyMzQ1Njc4OQ=="`, `"!"`},
		"an event with it": {`,"data":"MD`, `,"event":{},"data":"MD`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := bytes.Replace(b.Bytes(), []byte(c[0]), []byte(c[1]), 1)
			require.NotEqual(t, b.String(), string(changed))
			_, err := Import(t.Context(), bytes.NewReader(changed))
			require.Error(t, err)
		})
	}
}
