package replay_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
	"manualslop/tiers/llm"
	scripted "manualslop/tiers/llm/script"
)

// fileOf is a file of so many events of about 4 kB, made while it is read.
func fileOf(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		note := strings.Repeat("much text ", 400)
		for i := range n {
			_, err := fmt.Fprintf(w,
				`{"seq":%d,"event":{"specversion":"1.0","id":"E%d","source":"ada","type":"EventPushed","subject":"slop.ev.p.s.ada.EventPushed.-",`+
					`"time":"2026-01-02T03:04:05Z","session":"s","v":1,"data":{"kind":"note","payload":{"text":"%s"}}}}`+"\n", i+1, i,
				note)
			if err != nil {
				return
			}
		}
		w.Close()
	}()
	return r
}

// heapNow is what is reachable.
func heapNow() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// heapHeld is the most that is reachable while a file is read, beyond what was before.
func heapHeld(t *testing.T, n int) int64 {
	t.Helper()
	before, most, taken := heapNow(), int64(0), 0
	fan := replay.NewFan(func(*events.Event) {}, func(*events.Event) {})
	_, sum, err := replay.Read(t.Context(), fileOf(n), replay.Sink{Event: func(e events.Event) error {
		fan.Take(e)
		if taken++; taken%(n/8) == 0 {
			most = max(most, heapNow()-before)
		}
		return nil
	}})
	fan.Close()
	require.NoError(t, err)
	require.Equal(t, n, sum.Events)
	return most
}
func TestReadingAFileTenTimesAsLongHoldsNoMoreMemory(t *testing.T) {
	heapHeld(t, 500) // tables that are made once
	short, long := heapHeld(t, 1000), heapHeld(t, 10_000)
	t.Logf("bytes held: %d of a file of 4 MB, %d of one of 40 MB", short, long)
	const spread = 4 << 20
	require.Less(t, long, short+spread)
}
func TestReadingShortLinesAheadTakesLittleMemory(t *testing.T) {
	file := `{"slop_export":1,"project":"p","session":"s"}` + strings.Repeat("\n", 4<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := replay.Read(t.Context(), strings.NewReader(file), replay.Sink{})
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, replay.ErrFormat)
	took := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d bytes allocated up to the wrong second line, on %d processors", took, runtime.GOMAXPROCS(0))
	require.Less(t, took, uint64(8<<20*runtime.GOMAXPROCS(0)))
}

// verifiedHeap is the most that is reachable while a session of so many tickets
// is verified as slop replay does it, and the events and bytes of the session.
func verifiedHeap(t *testing.T, tickets int) (most int64, length int, size int64) {
	t.Helper()
	s := benchScript(1, tickets, 8)
	s.padding = 60 << 10
	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(file, exported(t, play(1, s), textShelf()), 0o600))
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	index, err := replay.IndexFile(t.Context(), f, info.Size())
	require.NoError(t, err)
	before := heapNow()
	set, verifier := projections.NewDigestSet(), replay.NewVerifier(replay.Deciders()...)
	prompts := llm.NewBodies(func(string) llm.Provider { return scripted.Provider{} }, index.Blob, index.Events())
	_, _, err = replay.Read(t.Context(), f, replay.Sink{Event: func(e events.Event) error {
		for _, take := range []func(*events.Event){set.Apply, verifier.Take, prompts.Take} {
			take(&e)
		}
		if length++; length%500 == 0 {
			most = max(most, heapNow()-before)
		}
		return nil
	}})
	require.NoError(t, err)
	set.Digest()
	most = max(most, heapNow()-before)
	_, err = verifier.End()
	require.NoError(t, err)
	seen, bad := prompts.End()
	require.Nil(t, bad)
	require.Greater(t, seen.Same, tickets*8)
	return most, length, info.Size()
}

// TestVerifyingASessionTenTimesAsLongHoldsNoneOfItsTexts allows for what each
// event leaves: its id, its place, and its line in the read models.
func TestVerifyingASessionTenTimesAsLongHoldsNoneOfItsTexts(t *testing.T) {
	verifiedHeap(t, 1) // tables that are made once
	short, few, small := verifiedHeap(t, 12)
	long, many, large := verifiedHeap(t, 120)
	t.Logf("bytes held: %d of %d events in %d bytes, %d of %d in %d", short, few, small, long, many, large)
	const perEvent, recent = 1500, llm.MaxRecent + llm.MaxBegun
	bound := short + recent + int64(perEvent*(many-few))
	require.Less(t, bound, large-small, "the texts would show")
	require.Less(t, long, bound)
}

// longFile is where a session is written on which slop replay can be measured.
var longFile = flag.String("long", "", "write a session of 173 MB into this `FILE`")

func TestLongSessionIsWritten(t *testing.T) {
	t.Parallel()
	if *longFile == "" {
		t.Skip("name a file with -long")
	}
	history := play(1, benchScript(10, 130, 10))
	require.NoError(t, os.WriteFile(*longFile, exported(t, history, textShelf()), 0o600))
	t.Logf("%d events", len(history))
}

// exportedHeap is the most that is reachable while a history of so many events
// of about 4 kB is exported.
func exportedHeap(t *testing.T, n int) (most int64) {
	t.Helper()
	note := json.RawMessage(`{"text":"` + strings.Repeat("much text ", 400) + `"}`)
	before := heapNow()
	history := func(yield func(events.Event, error) bool) {
		for i := range n {
			e, err := events.New(events.Origin{ID: fmt.Sprint("E", i), Project: "p", Session: "s", Actor: "ada"},
				events.EventPushed{Kind: "note", Payload: note})
			if e.Seq = uint64(i + 1); i%(n/8) == 0 {
				most = max(most, heapNow()-before)
			}
			if !yield(e, err) {
				return
			}
		}
	}
	sum, err := replay.Export(t.Context(), io.Discard, history, nil)
	require.NoError(t, err)
	require.Equal(t, n, sum.Events)
	return most
}
func TestExportingASessionTenTimesAsLongHoldsNoMoreMemory(t *testing.T) {
	exportedHeap(t, 500) // tables that are made once
	short, long := exportedHeap(t, 1000), exportedHeap(t, 10_000)
	t.Logf("bytes held: %d of 4 MB, %d of 40 MB", short, long)
	const spread = 4 << 20
	require.Less(t, long, short+spread)
}
