package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/replay"
	"manualslop/tiers/basis"
)

// shelf is a store of blobs in memory.
type shelf map[string][]byte

func (s shelf) Put(_ context.Context, b []byte, mediaType string) (events.BlobRef, error) {
	ref := events.BlobRef{SHA256: events.Digest(b), Size: int64(len(b)), MediaType: mediaType}
	s[ref.SHA256] = b
	return ref, nil
}

// textShelf is a store that holds the texts of prompts.
func textShelf() shelf {
	s := shelf{}
	for _, text := range basis.Bytes() {
		s[events.Digest(text)] = text
	}
	return s
}

func (s shelf) Get(_ context.Context, sha256 string) ([]byte, error) {
	b, ok := s[sha256]
	if !ok {
		return nil, events.ErrNoBlob
	}
	return b, nil
}

func exported(t testing.TB, history []events.Event, blobs events.Blobs) []byte {
	t.Helper()
	var b bytes.Buffer
	_, err := replay.Export(t.Context(), &b, eventstest.Each(history), blobs)
	require.NoError(t, err)
	return b.Bytes()
}

func imported(t testing.TB, file []byte) (replay.File, error) {
	t.Helper()
	return replay.Import(t.Context(), bytes.NewReader(file))
}

func TestExportedSessionsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			history := play(3, s.script)
			file := exported(t, history, textShelf())
			back, err := imported(t, file)
			require.NoError(t, err)
			require.Equal(t, history, back.Events)
			require.Equal(t, replay.Header{Version: replay.FormatVersion, Project: "p1", Session: history[0].Session},
				back.Header)
			require.Equal(t, len(history), back.Summary.Events)
			require.Equal(t, string(file), string(exported(t, back.Events, shelf(back.Blobs))),
				"exported again it is the same file")
			require.Equal(t, replay.Rebuild(history).Digest(), replay.Rebuild(back.Events).Digest())
			_, err = replay.Verify(back.Events, replay.Deciders()...)
			require.NoError(t, err)
		})
	}
}

func TestExportDoesNotNeedDecodedEvents(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("plain"))
	raw := append([]events.Event(nil), history...)
	for i := range raw {
		raw[i].Payload = nil
	}
	require.Equal(t, string(exported(t, history, textShelf())), string(exported(t, raw, textShelf())))
	for i := range raw {
		require.Nil(t, raw[i].Payload, "the history is the caller's")
	}
}

// withBlobs is a session whose outcomes name blobs of every kind.
func withBlobs(t *testing.T, store shelf, bodies ...[]byte) []events.Event {
	t.Helper()
	history := play(1, scenarioNamed("plain"))[:5]
	for i, body := range bodies {
		ref, err := store.Put(t.Context(), body, "text/plain")
		require.NoError(t, err)
		payloads := []events.Payload{
			events.ToolSettled{Call: "c", Text: "head", TextBlob: &ref, SHA256: ref.SHA256},
			events.PreviewBuilt{DiffBlob: &ref},
			events.FilesUpdated{Files: []events.FileUpdate{{Path: "a"}, {Path: "b", DiffBlob: &ref}}},
			events.ContextBuilt{Views: []events.View{{Path: "a", SHA256: "inline"}, {Path: "b", SHA256: ref.SHA256,
				Size: ref.Size, Blob: true}}},
			events.PreviewBuilt{DiffBlob: &ref},
		}
		e, err := events.New(events.Origin{ID: fmt.Sprintf("B%d", i), Project: "p1", Session: history[0].Session,
			Actor: "worker-h-1", N: uint64(i + 1), Time: history[0].Time}, payloads[i%len(payloads)])
		require.NoError(t, err)
		e.Seq = history[len(history)-1].Seq + 1
		history = append(history, e)
	}
	return history
}

func TestExportCarriesEveryBlobThatAnEventNamesOnce(t *testing.T) {
	t.Parallel()
	store := shelf{"unnamed": []byte("x")}
	large := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // three pieces
	bodies := [][]byte{[]byte("settled"), []byte("preview"), {}, large, []byte("settled")}
	file := exported(t, withBlobs(t, store, bodies...), store)
	back, err := imported(t, file)
	require.NoError(t, err)
	require.Len(t, back.Blobs, 4)
	require.Equal(t, 4, back.Summary.Blobs)
	for _, body := range bodies {
		require.Equal(t, string(body), string(back.Blobs[events.Digest(body)]))
	}
	for _, line := range bytes.Split(file, []byte("\n")) {
		require.Less(t, len(line), replay.MaxLine)
	}
}

func TestPartsOfAPromptThatOnlyTheStoreHasAreCarried(t *testing.T) {
	t.Parallel()
	store := shelf{}
	ref, err := store.Put(t.Context(), []byte("part"), "")
	require.NoError(t, err)
	history := withBlobs(t, store)
	e, err := events.New(events.Origin{ID: "M", Project: "p1", Session: history[0].Session, Actor: events.ActorQA, N: 1,
		Time: history[0].Time},
		events.ModelRequested{Tier: 4, Manifest: []events.Part{{Role: "user", SHA256: "elsewhere", From: "E"},
			{Role: "user", SHA256: ref.SHA256, Size: 4}}})
	require.NoError(t, err)
	e.Seq = 1000
	back, err := imported(t, exported(t, append(history, e), store))
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{ref.SHA256: []byte("part")}, back.Blobs)
}

func TestABlobThatTheStoreLacksIsCountedAsMissing(t *testing.T) {
	t.Parallel()
	store := textShelf()
	texts := len(store)
	history := withBlobs(t, store, []byte("one"), []byte("two"))
	delete(store, events.Digest([]byte("one")))
	back, err := imported(t, exported(t, history, store))
	require.NoError(t, err)
	require.Equal(t, 1, back.Summary.Missing)
	require.Equal(t, texts+1, back.Summary.Blobs)
	require.Equal(t, "two", string(back.Blobs[events.Digest([]byte("two"))]))
	require.Len(t, back.Blobs, texts+1)
}

// liar is a store that gives other bytes than were asked for.
type liar struct{ shelf }

func (l liar) Get(context.Context, string) ([]byte, error) { return []byte("other"), nil }

// broken is a store that cannot be read.
type broken struct{ shelf }

var errBroken = errors.New("disk on fire")

func (b broken) Get(context.Context, string) ([]byte, error) { return nil, errBroken }

func TestExportRefusesWhatItCannotCarry(t *testing.T) {
	t.Parallel()
	store := shelf{}
	history := withBlobs(t, store, []byte("one"))
	export := func(h []events.Event, s events.Blobs) error {
		_, err := replay.Export(t.Context(), &bytes.Buffer{}, eventstest.Each(h), s)
		return err
	}
	require.ErrorIs(t, export(history, nil), replay.ErrBlob)
	require.ErrorIs(t, export(history, liar{store}), replay.ErrBlob)
	require.ErrorIs(t, export(history, broken{store}), errBroken)
	require.ErrorIs(t, export(nil, store), replay.ErrFormat)
	cut := func(yield func(events.Event, error) bool) {
		_ = yield(history[0], nil) && yield(events.Event{}, errBroken)
	}
	_, err := replay.Export(t.Context(), &bytes.Buffer{}, cut, store)
	require.ErrorIs(t, err, errBroken, "a log that breaks is no end of the history")
	two := append([]events.Event(nil), history...)
	two[2].Session = "another"
	require.ErrorIs(t, export(two, store), replay.ErrFormat)
	large := append([]events.Event(nil), history...)
	large[1].Data = json.RawMessage(`{"tools":"` + strings.Repeat("x", replay.MaxLine) + `"}`)
	require.ErrorIs(t, export(large, store), replay.ErrLimit)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = replay.Export(ctx, &bytes.Buffer{}, eventstest.Each(history), store)
	require.ErrorIs(t, err, context.Canceled)
	_, err = replay.Export(t.Context(), fullDisk{}, eventstest.Each(history), store)
	require.ErrorIs(t, err, errFullDisk)
}

// fullDisk takes nothing.
type fullDisk struct{}

var errFullDisk = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFullDisk }

func TestPlainLinesOfEventsAreReadToo(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("asked"))
	var envelopes, numbered strings.Builder
	for _, e := range history {
		b, err := json.Marshal(e)
		require.NoError(t, err)
		envelopes.Write(append(b, '\n'))
		fmt.Fprintf(&numbered, `{"seq":%d,"event":%s}`+"\n", e.Seq, b)
	}
	back, err := imported(t, []byte(numbered.String()))
	require.NoError(t, err)
	require.Equal(t, history, back.Events)
	require.Empty(t, back.Summary.Chain)
	back, err = imported(t, []byte(envelopes.String()))
	require.NoError(t, err)
	require.Len(t, back.Events, len(history))
	for i, e := range back.Events {
		require.Equal(t, uint64(i+1), e.Seq)
	}
	_, err = replay.Verify(back.Events, replay.Deciders()...)
	require.NoError(t, err)
	back, err = imported(t, []byte(strings.TrimSuffix(envelopes.String(), "\n")))
	require.NoError(t, err, "the last line needs no end")
	require.Len(t, back.Events, len(history))
}

func TestReadHandsOutWhatTheSinkTakesAndItsErrors(t *testing.T) {
	t.Parallel()
	store := shelf{}
	file := exported(t, withBlobs(t, store, []byte("one")), store)
	_, sum, err := replay.Read(t.Context(), bytes.NewReader(file), replay.Sink{})
	require.NoError(t, err, "a sink may skip everything")
	require.Equal(t, 1, sum.Blobs)
	_, _, err = replay.Read(t.Context(), bytes.NewReader(file),
		replay.Sink{Event: func(events.Event) error { return errBroken }})
	require.Equal(t, errBroken, err)
	_, _, err = replay.Read(t.Context(), bytes.NewReader(file), replay.Sink{Blob: func(events.BlobRef, []byte) error {
		return errBroken
	}})
	require.Equal(t, errBroken, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = replay.Read(ctx, bytes.NewReader(file), replay.Sink{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestExportRefusesMoreThanAReaderTakes(t *testing.T) {
	t.Parallel()
	history := play(1, scenarioNamed("plain"))[:1]
	var updates []events.FileUpdate
	for i := range replay.MaxBlobs + 1 {
		updates = append(updates, events.FileUpdate{DiffBlob: &events.BlobRef{SHA256: fmt.Sprint(i)}})
	}
	history[0].Payload = events.FilesUpdated{Files: updates}
	_, err := replay.Export(t.Context(), &bytes.Buffer{}, eventstest.Each(history), shelf{})
	require.ErrorIs(t, err, replay.ErrLimit)
	store := shelf{}
	history = withBlobs(t, store, make([]byte, replay.MaxBlobBytes+1))
	_, err = replay.Export(t.Context(), &bytes.Buffer{}, eventstest.Each(history), store)
	require.ErrorIs(t, err, replay.ErrLimit)
}
