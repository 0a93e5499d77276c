package search_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/search"
	"manualslop/projections/sessiongen"
)

// childFolder tells the test binary to be the process that is killed.
const childFolder = "SLOP_SEARCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		fmt.Println(indexUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// generated is a log of 4,000 events, the same each time.
func generated(ctx context.Context) (*eventstest.Memory, error) {
	log := eventstest.NewMemory()
	for seed := range uint64(2) {
		for _, e := range sessiongen.GenerateSession(seed, 2000) {
			if _, err := log.Append(ctx, e, nil); err != nil {
				return nil, err
			}
		}
	}
	return log, nil
}

// counted is a log that prints how many events it was read.
type counted struct{ *eventstest.Memory }

// Read prints every hundred events.
func (c counted) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range c.Memory.Read(ctx, f, from, to) {
			if e.Seq%100 == 0 {
				fmt.Println(e.Seq)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func indexUntilKilled(dir string) error {
	log, err := generated(context.Background())
	if err != nil {
		return err
	}
	x := search.New(search.Options{Dir: dir, Log: counted{log}, Project: sessiongen.Project})
	if err := x.Open(context.Background()); err != nil {
		return err
	}
	if err := x.CatchUp(context.Background(), 0); err != nil {
		return err
	}
	select {} // until it is killed
}

func TestAKilledIndexMissesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	log, err := generated(t.Context())
	require.NoError(t, err)
	hits := func(x *search.Index) (n [3]uint64) {
		require.NoError(t, x.CatchUp(patient(t), 0))
		for i, text := range []string{"parser", "type:ToolSettled", "-unheardof"} {
			a, err := x.Find(patient(t), parse(t, text), search.Page{Limit: 1})
			require.NoError(t, err)
			n[i] = a.Total
		}
		require.NoError(t, x.Close())
		return n
	}
	whole := search.New(search.Options{Log: log, Project: sessiongen.Project})
	require.NoError(t, whole.Open(patient(t)))
	want := hits(whole)
	require.EqualValues(t, 4000, want[2])
	for _, killed := range []int{900, 2500} {
		dir, logged := t.TempDir(), &bytes.Buffer{}
		killAt(t, dir, killed)
		x := search.New(search.Options{Dir: dir, Log: log, Project: sessiongen.Project,
			Logger: slog.New(slog.NewTextHandler(logged, nil))})
		require.NoError(t, x.Open(patient(t)))
		t.Logf("killed at event %d: %d are indexed %s", killed, x.Position(), logged)
		require.Equal(t, want, hits(x))
	}
}

// killAt runs a child that indexes, and kills it when it has read an event.
func killAt(t *testing.T, dir string, seq int) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childFolder+"="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		at, err := strconv.Atoi(lines.Text())
		require.NoError(t, err, lines.Text())
		if at == seq {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
}
