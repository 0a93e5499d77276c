package search_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
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
		"deleted":            func(t *testing.T, r *record) { require.NoError(t, os.RemoveAll(filepath.Join(r.dir, "index"))) },
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
			require.Equal(t, []string{"SessionEdited"}, find(t, x, "giraffes"))
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

// running is an index that follows a record until stop is called.
func (r *record) running(lazy uint64) (x *search.Index, stop func()) {
	r.t.Helper()
	l, err := live.Open(patient(r.t), r.log, project, live.Options{Backlog: 16})
	require.NoError(r.t, err)
	x = search.New(search.Options{Dir: r.dir, Log: r.log, Project: project, Head: l.Position, Settle: eventstest.Patience, Lazy: lazy})
	ctx, cancel := context.WithCancel(patient(r.t))
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx, l) }()
	return x, func() {
		cancel()
		require.NoError(r.t, <-ended)
		require.NoError(r.t, l.Close())
	}
}

func total(t *testing.T, x *search.Index, text string) uint64 {
	a, err := x.Find(patient(t), parse(t, text), search.Page{Limit: 1})
	return map[bool]uint64{true: a.Total}[err == nil]
}

func TestARunningIndexFindsWhatWasJustWritten(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.work("S1")
	x, stop := r.running(0)
	require.Eventually(t, func() bool { return x.Position() == 13 }, eventstest.Patience, time.Millisecond)
	for i := range 200 { // more than a slow reader may be behind
		r.add("S2", "ada", events.GoalSubmitted{Goal: "quick"})
		if i%50 == 0 {
			require.Eventually(t, func() bool { return total(t, x, "quick") == uint64(i+1) }, eventstest.Patience, time.Millisecond)
		}
	}
	require.Eventually(t, func() bool {
		a, err := x.Find(patient(t), parse(t, "quick"), search.Page{Limit: 1})
		return err == nil && a.Total == 200 && a.Behind == 0
	}, eventstest.Patience, time.Millisecond)
	stop()
	x = r.index(r.dir)
	require.NoError(t, x.Open(patient(t)))
	require.EqualValues(t, 213, x.Position(), "nothing is indexed twice")
	require.NoError(t, x.Close())
}

func TestALazyIndexIsOpenedByASearchOrByEnoughEvents(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.work("S1")
	x, stop := r.running(20)
	require.EqualValues(t, 1, total(t, x, "mend"), "a search opens it")
	stop()
	require.EqualValues(t, 13, x.Position())

	x, stop = r.running(20)
	require.Eventually(t, func() bool {
		r.add("S2", "ada", events.GoalSubmitted{Goal: "more"})
		return x.Position() > 13
	}, eventstest.Patience, 20*time.Millisecond)
	stop()

	require.NoError(t, os.RemoveAll(filepath.Join(r.dir, "index")))
	x, stop = r.running(20)
	require.Eventually(t, func() bool { return x.Position() == uint64(r.n) }, eventstest.Patience, time.Millisecond, "a long log without an index")
	stop()

	x, stop = r.running(20)
	stop()
	require.Zero(t, x.Position(), "nobody wanted it")
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
