package replay_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/replay"
)

// fileOf is a file of so many events of about 4 kB, made while it is read.
func fileOf(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		note := strings.Repeat("much text ", 400)
		for i := range n {
			_, err := fmt.Fprintf(w, `{"seq":%d,"event":{"specversion":"1.0","id":"E%d","source":"ada","type":"EventPushed","subject":"slop.ev.p.s.ada.EventPushed.-",`+
				`"time":"2026-01-02T03:04:05Z","session":"s","v":1,"data":{"kind":"note","payload":{"text":"%s"}}}}`+"\n", i+1, i, note)
			if err != nil {
				return
			}
		}
		w.Close()
	}()
	return r
}

// heapHeld is the most that is reachable while a file is read, beyond what was before.
func heapHeld(t *testing.T, n int) int64 {
	t.Helper()
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, most, taken := held(), int64(0), 0
	fan := replay.NewFan(func(*events.Event) {}, func(*events.Event) {})
	_, sum, err := replay.Read(t.Context(), fileOf(n), replay.Sink{Event: func(e events.Event) error {
		fan.Take(e)
		if taken++; taken%(n/8) == 0 {
			most = max(most, held()-before)
		}
		return nil
	}})
	fan.Close()
	require.NoError(t, err)
	require.Equal(t, n, sum.Events)
	return most
}

//nolint:paralleltest // it measures the heap of the process.
func TestReadingAFileTenTimesAsLongHoldsNoMoreMemory(t *testing.T) {
	heapHeld(t, 500) // tables that are made once
	short, long := heapHeld(t, 1000), heapHeld(t, 10_000)
	t.Logf("bytes held: %d of a file of 4 MB, %d of one of 40 MB", short, long)
	const spread = 4 << 20
	require.Less(t, long, short+spread)
}

//nolint:paralleltest // it measures what the process allocates.
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
