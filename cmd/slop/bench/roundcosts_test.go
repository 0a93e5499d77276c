package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/cmd/slop/engine"
	"manualslop/events"
)

// What a plain round of a reading tool may cost, counted without a clock.
const (
	roundAppends = 5
	// Each event is decoded once in a process, for everybody who follows the log and
	// for the pools.
	roundDecodes = roundAppends
	// The session logs hold their files open.
	roundLogOpens = 0
	// Each append is synced. What the server and its guard sync by the clock is
	// not bounded here.
	roundLogSyncs = roundAppends
)

// TestARoundCostsNoMoreThanItsBounds counts what one ticket's rounds append,
// decode, open and sync, from one request to the next.
func TestARoundCostsNoMoreThanItsBounds(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const rounds = 60
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	script := benchScript{goals: 2, rounds: rounds + 1}
	m, err := startRounds(t.Context(), root, roundShape{1, 1, bus.Sync}, script, engine.Causes{})
	require.NoError(t, err)
	defer m.Close()
	_, err = m.goal()
	require.NoError(t, err)
	var all []seen
	before := events.Catalogue().Decoded()
	calls, err := countDiskCalls(func() (err error) { all, err = m.reachAll(m.sessions, "read"); return err })
	require.NoError(t, err)
	decoded := events.Catalogue().Decoded() - before
	_, requests := requestsOf(all)
	require.Len(t, requests, rounds+1)
	for i, r := range requests[2:] { // the first round knows no file before
		from := requests[i+1].Seq
		require.LessOrEqual(t, r.Seq-from, uint64(roundAppends), "round %d: %v", i+2, typesBetween(all, from, r.Seq))
	}
	others := len(all) - rounds*roundAppends // of the goal and its ticket
	t.Logf("%d events, %d of them in rounds; %d decoded; opens %v; syncs %v",
		len(all), rounds*roundAppends, decoded, calls.Opens, calls.Syncs)
	require.LessOrEqual(t, int(decoded), rounds*roundDecodes+2*others)
	require.LessOrEqual(t, calls.Opens[partLogs], rounds*roundLogOpens+20*others)
	require.LessOrEqual(t, calls.Syncs[partLog], rounds*roundLogSyncs+3*others)
	require.GreaterOrEqual(t, calls.Syncs[partLog], len(all), "each append is synced before it counts")
}

// typesBetween are the types of the events from one sequence up to another.
func typesBetween(all []seen, from, to uint64) (types []string) {
	for _, e := range all {
		if e.Seq >= from && e.Seq < to {
			types = append(types, e.Type)
		}
	}
	return types
}

// countedChild is set in a process whose every disk sync is counted twice.
const countedChild = "SLOP_TEST_COUNTED"

// TestDiskCallsAgreeWithStrace runs an engine in a process of its own from its
// start to its end, counted by the process itself and by strace.
func TestDiskCallsAgreeWithStrace(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	if os.Getenv(countedChild) != "" {
		countWholeEngine(t)
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	report := filepath.Join(t.TempDir(), "strace")
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-c", "-o", report, "-e", "trace=fsync,fdatasync",
		os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), countedChild+"=1")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "Operation not permitted") {
		t.Skipf("strace may not trace here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	_, rest, found := strings.Cut(string(out), "flushes: ")
	require.True(t, found, "%s", out)
	counted, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	require.Positive(t, counted)
	require.Equal(t, straceCalls(t, report), counted)
}

func countWholeEngine(t *testing.T) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	calls, err := countDiskCalls(func() error {
		m, err := startRounds(t.Context(), root, roundShape{1, 2, bus.Sync}, benchScript{goals: 1, rounds: 4},
			engine.Causes{})
		if err != nil {
			return err
		}
		if _, err := m.goal(); err != nil {
			return err
		}
		return m.Close()
	})
	require.NoError(t, err)
	fmt.Printf("flushes: %d\n", calls.Flushes)
}

// straceCalls are the calls in a summary of strace.
func straceCalls(t *testing.T, report string) int {
	t.Helper()
	b, err := os.ReadFile(report)
	require.NoError(t, err)
	calls := 0
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line) // share, seconds, each, calls, errors if any, name
		if len(f) >= 5 && (f[len(f)-1] == "fsync" || f[len(f)-1] == "fdatasync") {
			n, err := strconv.Atoi(f[3])
			require.NoError(t, err, line)
			calls += n
		}
	}
	return calls
}
