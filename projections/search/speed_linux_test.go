package search_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/live"
	"manualslop/projections/search"
	"manualslop/projections/sessiongen"
)

// TestASearchIsFasterThanAScan measures; docs/performance.md has the figures.
func TestASearchIsFasterThanAScan(t *testing.T) {
	if os.Getenv("SLOP_LOAD") != "full" {
		t.Skip("set SLOP_LOAD=full to measure it")
	}
	const sessions, length = 50, 2000
	server := bustest.Open(t)
	log := bustest.Connect(t, server, bus.Role{Kind: bus.Admin})
	ctx := t.Context()
	t.Logf("%d events appended at %.0f a second", sessions*length, fill(t, log, 0, sessions, length))

	dir := t.TempDir()
	x := search.New(search.Options{Dir: dir, Log: log, Project: sessiongen.Project})
	require.NoError(t, x.Open(ctx))
	before := heap()
	begun, worked := time.Now(), cpu(t)
	require.NoError(t, x.CatchUp(ctx, 0))
	took, worked := time.Since(begun), cpu(t)-worked
	t.Logf("indexed at %.0f a second, %s of processor time an event, heap %+d MB, %d MB on disk",
		sessions*length/took.Seconds(), worked/(sessions*length), (heap()-before)>>20, size(t, dir)>>20)
	for _, text := range []string{"tickets", `"frame ends early"`, "ticket:T-001 type:ToolSettled", "pars* -later",
		"unheardof", "parser type:GoalSubmitted"} {
		var times []time.Duration
		total := uint64(0)
		for range 30 {
			begun := time.Now()
			a, err := x.Find(ctx, parse(t, text), search.Page{Limit: search.DefaultLimit})
			require.NoError(t, err)
			times, total = append(times, time.Since(begun)), a.Total
		}
		slices.Sort(times)
		t.Logf("%-32s %6d hits: median %s, longest %s", text, total, times[15], times[29])
	}
	begun, worked = time.Now(), cpu(t)
	hits := 0
	for e, err := range log.Read(ctx, events.Filter{Project: sessiongen.Project}, 1, 0) {
		require.NoError(t, err)
		if strings.Contains(strings.ToLower(search.Text(&e)), "frame ends early") {
			hits++
		}
	}
	t.Logf("a plain scan of the log: %d hits in %s, %s of processor time an event", hits, time.Since(begun),
		(cpu(t)-worked)/(sessions*length))
	begun = time.Now()
	require.NoError(t, x.Close())
	require.NoError(t, x.Open(ctx))
	t.Logf("closed and opened again, with every checksum, in %s", time.Since(begun))
	require.NoError(t, x.Close())
	besideAnIndex(t, log, dir, sessions)
}

// fill appends sessions and returns how many events a second it took.
func fill(t *testing.T, log events.Log, first, sessions uint64, length int) float64 {
	t.Helper()
	var took time.Duration
	for seed := range sessions {
		made := sessiongen.GenerateSession(first+seed, length)
		begun := time.Now()
		for _, e := range made {
			_, err := log.Append(t.Context(), e, nil)
			require.NoError(t, err)
		}
		took += time.Since(begun)
	}
	return float64(sessions) * float64(length) / took.Seconds()
}

// besideAnIndex measures appends beside an index that runs, and without one, and
// how long a search then takes to see them.
func besideAnIndex(t *testing.T, log events.Log, dir string, first uint64) {
	t.Helper()
	l, err := live.Open(t.Context(), log, sessiongen.Project, live.Options{})
	require.NoError(t, err)
	for turn := range uint64(3) {
		alone := fill(t, log, first+10*turn, 2, 2000)
		x := search.New(search.Options{Dir: dir, Log: log, Project: sessiongen.Project, Head: l.Position,
			Settle: eventstest.Patience})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.Run(ctx) }()
		beside := fill(t, log, first+10*turn+5, 2, 2000)
		begun := time.Now()
		a, err := x.Find(ctx, parse(t, "unheardof"), search.Page{Limit: 1})
		require.NoError(t, err)
		require.Zero(t, a.Behind)
		t.Logf("appended at %.0f a second alone, %.0f beside the index; a search saw all 8,000 after %s", alone, beside,
			time.Since(begun))
		stop()
		require.NoError(t, <-ended)
	}
	require.NoError(t, l.Close())
}

// cpu is the processor time of this process.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func size(t *testing.T, dir string) (n int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return nil
	}))
	return n
}
