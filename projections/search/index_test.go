package search_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/live"
	"manualslop/projections/search"
)

// built is a closed index of a worked session in r.dir.
func built(t *testing.T) *record {
	t.Helper()
	r := newRecord(t)
	r.work("S1")
	x := r.index(r.dir)
	require.NoError(t, x.Open(patient(t)))
	require.NoError(t, x.CatchUp(patient(t), 0))
	require.NoError(t, x.Close())
	return r
}

func TestAnIndexGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	r := built(t)
	x := r.index(r.dir)
	require.NoError(t, x.Open(patient(t)))
	require.EqualValues(t, 13, x.Position())
	require.Equal(t, []string{"GoalSubmitted"}, find(t, x, "mend"))
	request := r.add("S2", events.ActorContributor, events.ModelRequested{Ticket: "T-9", Tier: 2, Attempt: 1})
	require.NoError(t, x.CatchUp(patient(t), 0))
	require.NoError(t, x.Close())
	x = r.index(r.dir) // the request was indexed by another process than its reply
	require.NoError(t, x.Open(patient(t)))
	r.add("S2", events.ActorModels, events.ModelReplied{Request: request, Text: "late"})
	require.NoError(t, x.CatchUp(patient(t), 0))
	require.Equal(t, []string{"ModelReplied"}, find(t, x, "late ticket:T-9 tier:2"))
	require.NoError(t, x.Close())
	require.NoError(t, x.Close())
	_, err := x.Find(patient(t), parse(t, "late"), search.Page{Limit: 1})
	require.ErrorIs(t, err, search.ErrNotOpen)
}

func TestAnIndexThatIsNotRightIsBuiltAnew(t *testing.T) {
	t.Parallel()
	segments := func(t *testing.T, r *record) []string {
		names, err := filepath.Glob(filepath.Join(r.dir, "index", "store", "*.zap"))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		return names
	}
	change := func(t *testing.T, name string, f func([]byte) []byte) {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, f(raw), 0o600))
	}
	for what, damage := range map[string]func(t *testing.T, r *record){
		"deleted": func(t *testing.T, r *record) {
			require.NoError(t, os.RemoveAll(filepath.Join(r.dir, "index")))
		},
		"a segment is gone":  func(t *testing.T, r *record) { require.NoError(t, os.Remove(segments(t, r)[0])) },
		"a segment is empty": func(t *testing.T, r *record) { require.NoError(t, os.Truncate(segments(t, r)[0], 0)) },
		"a segment is cut":   func(t *testing.T, r *record) { require.NoError(t, os.Truncate(segments(t, r)[0], 100)) },
		"a bit is turned": func(t *testing.T, r *record) {
			change(t, segments(t, r)[0], func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		},
		"the root is garbage": func(t *testing.T, r *record) {
			change(t, filepath.Join(r.dir, "index", "store", "root.bolt"), func(b []byte) []byte { clear(b); return b })
		},
		"the root leads out of its file": func(t *testing.T, r *record) {
			change(t, filepath.Join(r.dir, "index", "store", "root.bolt"), leadAstray)
		},
		"the root leads out of its file after a kill": func(t *testing.T, r *record) {
			require.NoError(t, os.Remove(filepath.Join(r.dir, "index", "slop.crc")))
			change(t, filepath.Join(r.dir, "index", "store", "root.bolt"), leadAstray)
		},
		"the root is empty": func(t *testing.T, r *record) {
			require.NoError(t, os.Truncate(filepath.Join(r.dir, "index", "store", "root.bolt"), 0))
		},
		"the meta file is garbage": func(t *testing.T, r *record) {
			change(t, filepath.Join(r.dir, "index", "index_meta.json"), func([]byte) []byte { return []byte("{") })
		},
		"a file in its place": func(t *testing.T, r *record) {
			require.NoError(t, os.RemoveAll(filepath.Join(r.dir, "index")))
			require.NoError(t, os.WriteFile(filepath.Join(r.dir, "index"), nil, 0o600))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := built(t)
			damage(t, r)
			x := r.opened(r.dir)
			require.Equal(t, []string{"GoalSubmitted"}, find(t, x, "mend"))
			require.Equal(t, []string{"DiscussionChanged"}, find(t, x, "giraffes"))
		})
	}
}

func TestAnIndexOfAnotherLogIsThrownAway(t *testing.T) {
	t.Parallel()
	r := built(t)
	other := newRecord(t)
	other.n = 100
	other.work("S9")
	other.dir = r.dir
	x := other.opened(other.dir)
	require.Empty(t, find(t, x, "session:S1"))
	require.Equal(t, []string{"GoalSubmitted"}, find(t, x, "mend session:S9"))
	require.NoError(t, x.Close())
	shorter := newRecord(t)
	shorter.add("S1", "ada", events.GoalSubmitted{Goal: "alone"})
	x = shorter.opened(r.dir)
	require.Equal(t, []string{"GoalSubmitted"}, find(t, x, "session:S1"))
}

// running is an index that runs until the test ends, and looks when the test has it do so.
type running struct {
	*search.Index
	t      *testing.T
	live   *live.Live
	looks  chan time.Time
	logged *bytes.Buffer
	cancel context.CancelFunc
	ended  chan error
}

func (r *record) running(t *testing.T, log events.Log) *running {
	t.Helper()
	l, err := live.Open(patient(t), r.log, project, live.Options{Backlog: 16})
	require.NoError(t, err)
	x := &running{t: t, live: l, looks: make(chan time.Time), logged: &bytes.Buffer{}, ended: make(chan error, 1)}
	x.Index = search.New(search.Options{
		Dir: r.dir, Log: log, Project: project, Head: l.Position, Settle: eventstest.Patience, MostBehind: 3000,
		Looks:  x.looks,
		Logger: slog.New(slog.NewTextHandler(x.logged, nil)),
	})
	ctx, cancel := context.WithCancel(patient(t))
	x.cancel = cancel
	go func() { x.ended <- x.Run(ctx) }()
	return x
}

// look has the index look so many times, once it knows of all events of the
// record, and returns its position when what it then did is done.
func (x *running) look(r *record, times int) uint64 {
	x.t.Helper()
	require.NoError(x.t, x.live.WaitFor(patient(x.t), uint64(r.n)))
	for range times + 1 { // Run takes a look when it is done with the one before
		select {
		case x.looks <- now():
		case err := <-x.ended:
			require.FailNow(x.t, "the index ended", err)
		case <-patient(x.t).Done():
			require.FailNow(x.t, "the index does not look")
		}
	}
	return x.Position()
}

func (x *running) stop() {
	x.t.Helper()
	x.cancel()
	require.NoError(x.t, <-x.ended)
	require.NoError(x.t, x.live.Close())
}

func total(t *testing.T, x *search.Index, text string) uint64 {
	t.Helper()
	a, err := x.Find(patient(t), parse(t, text), search.Page{Limit: 1})
	require.NoError(t, err)
	require.Zero(t, a.Behind)
	return a.Total
}

func (r *record) goals(n int) {
	r.t.Helper()
	for range n {
		r.add("S2", "ada", events.GoalSubmitted{Goal: "quick"})
	}
}

func TestNothingIsIndexedWhileEventsComeUntilASearchSeesThemAll(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	x := r.running(t, r.log)
	for range 50 { // longer than the log must be idle
		r.goals(59)
		require.Zero(t, x.look(r, 1))
	}
	require.NoDirExists(t, filepath.Join(r.dir, "index"))
	require.EqualValues(t, 2950, total(t, x.Index, "quick"))
	for i := range 50 {
		r.goals(1)
		require.EqualValues(t, 2950, x.look(r, 1), "after %d events more", i)
	}
	require.EqualValues(t, 3000, total(t, x.Index, "quick"))
	x.stop()
	again := r.index(r.dir)
	require.NoError(t, again.Open(patient(t)))
	require.EqualValues(t, 3000, again.Position(), "nothing is indexed twice")
	require.NoError(t, again.Close())
}

func TestAnIdleLogIsIndexedOnceEnoughIsMissing(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	x := r.running(t, r.log)
	r.goals(999)
	require.Zero(t, x.look(r, 100), "a search indexes so few in a moment")
	r.goals(1)
	require.Zero(t, x.look(r, 29))
	require.EqualValues(t, 1000, x.look(r, 2))
	x.stop()
}

func TestAnIndexIsNeverFurtherBehindThanAllowed(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	x := r.running(t, r.log)
	r.goals(1500)
	require.Zero(t, x.look(r, 1))
	require.EqualValues(t, 1500, total(t, x.Index, "quick"))
	r.goals(1500)
	require.EqualValues(t, 1500, x.look(r, 1))
	x.stop()

	x = r.running(t, r.log) // what an earlier process left behind counts
	r.goals(1499)
	require.Zero(t, x.look(r, 1), "not opened yet")
	r.goals(1)
	require.EqualValues(t, 4500, x.look(r, 1))
	x.stop()

	require.NoError(t, os.Remove(filepath.Join(r.dir, "index", "slop.seq"))) // as after a kill
	x = r.running(t, r.log)
	require.EqualValues(t, 4500, x.look(r, 1), "it is opened to know how far it came")
	x.stop()
}

func TestAnIndexIsOpenOnlyWhileItIsUsed(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	x := r.running(t, r.log)
	closed := func() bool {
		_, err := os.Lstat(filepath.Join(r.dir, "index", "slop.crc")) // an index that is closed is sealed
		return err == nil
	}
	r.goals(3000)
	require.EqualValues(t, 3000, x.look(r, 2))
	require.True(t, closed(), "nobody searched")
	require.EqualValues(t, 3000, total(t, x.Index, "quick"), "it is opened again")
	require.EqualValues(t, 3000, x.look(r, 58))
	require.False(t, closed(), "somebody may search again")
	require.EqualValues(t, 3000, total(t, x.Index, "quick"))
	require.EqualValues(t, 3000, x.look(r, 58))
	require.False(t, closed())
	x.look(r, 1)
	require.True(t, closed())
	r.goals(1)
	require.NoError(t, x.live.WaitFor(patient(t), uint64(r.n)))
	require.EqualValues(t, 3001, total(t, x.Index, "quick"))
	x.stop()
}

func TestASearchIsServedThatComesWhileTheIndexRests(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	x := r.running(t, r.log)
	r.goals(3000) // whole batches, and a rest behind the last
	require.NoError(t, x.live.WaitFor(patient(t), 3000))
	x.looks <- now()
	require.Eventually(t, func() bool { return x.Position() == 3000 }, eventstest.Patience, time.Millisecond)
	r.goals(1)
	require.NoError(t, x.live.WaitFor(patient(t), 3001))
	require.EqualValues(t, 3001, total(t, x.Index, "quick"))
	x.stop()
}

// unreadable is a log that cannot be read while broken is set.
type unreadable struct {
	events.Log
	broken *atomic.Bool
}

// Read fails.
func (u unreadable) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	if u.broken.Load() {
		return func(yield func(events.Event, error) bool) { yield(events.Event{}, errors.New("the bus is away")) }
	}
	return u.Log.Read(ctx, f, from, to)
}

func TestALogThatCannotBeReadForAWhileCostsNoIndex(t *testing.T) {
	t.Parallel()
	r := built(t)
	r.goals(3000)
	log := unreadable{r.log, &atomic.Bool{}}
	log.broken.Store(true)
	x := r.running(t, log)
	require.Zero(t, x.look(r, 5))
	require.Equal(t, 1, strings.Count(x.logged.String(), "the bus is away"), "it is not tried again and again")
	log.broken.Store(false)
	require.EqualValues(t, 3000, total(t, x.Index, "quick"))
	require.EqualValues(t, 1, total(t, x.Index, "mend"))
	require.NotContains(t, x.logged.String(), "anew")
	x.stop()
}

// leadAstray makes each entry of each leaf behind the two first pages, which have
// checksums, stand far behind the end of the file.
func leadAstray(root []byte) []byte {
	const page, flags, count, head, entry, position, leaf = 4096, 8, 10, 16, 16, 4, 2
	for at := 2 * page; at+page <= len(root); at += page {
		if binary.LittleEndian.Uint16(root[at+flags:]) != leaf {
			continue
		}
		for i := range min(int(binary.LittleEndian.Uint16(root[at+count:])), (page-head)/entry) {
			binary.LittleEndian.PutUint32(root[at+head+i*entry+position:], 0x7ffffff0)
		}
	}
	return root
}

// The library trusts the file that lists the segments: what is wrong in it ends
// the process or leaves out hits, wherever it is.
func TestAnyByteOfTheRootThatIsWrongHasTheIndexBuiltAnew(t *testing.T) {
	t.Parallel()
	r := built(t)
	name := filepath.Join(r.dir, "index", "store", "root.bolt")
	root, err := os.ReadFile(name)
	require.NoError(t, err)
	for at := 1; at < len(root); at += len(root) / 16 {
		x := r.index(r.dir)
		require.NoError(t, x.Open(patient(t)))
		require.NoError(t, x.CatchUp(patient(t), 0))
		require.NoError(t, x.Close())
		root, err := os.ReadFile(name)
		require.NoError(t, err)
		root[min(at, len(root)-1)] ^= 0x40
		require.NoError(t, os.WriteFile(name, root, 0o600))
		x = r.index(r.dir)
		require.NoError(t, x.Open(patient(t)))
		require.Zero(t, x.Position(), "byte %d: it begins anew", at)
		require.NoError(t, x.Close())
	}
}
