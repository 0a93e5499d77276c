package replay_test

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/replay"
)

// Sizes of the record that the speed of replay is measured on.
const (
	recordSessions = 1250
	recordEvents   = 80
	recordBytes    = 1500 // of an event, about
)

// record is sessions as they stand in a store: one envelope per event.
type record [][][]byte

// truthfulRecord plays a few sessions of about the wanted size and repeats
// them; reading one costs the same the second time.
func truthfulRecord(tb testing.TB, sessions int) record {
	tb.Helper()
	const played = 10
	var distinct record
	for seed := range uint64(played) {
		distinct = append(distinct, wireOf(tb, play(seed, benchScript(1, 2, 3))))
	}
	out := make(record, sessions)
	for i := range out {
		out[i] = distinct[i%played]
	}
	return out
}

// benchScript is a session of a few tickets that read and change files.
func benchScript(tracks, tickets, rounds int) script {
	s := script{goal: "Mend the parser", tracks: tracks, tickets: tickets, rules: yesToAll, padding: 5200, tools: 45,
		bodies: true}
	for range rounds {
		s.rounds = append(s.rounds, call{"edit_file", `{"path":"a.go","content":"some content"}`})
	}
	return s
}

func wireOf(tb testing.TB, history []events.Event) [][]byte {
	tb.Helper()
	out := make([][]byte, len(history))
	for i, e := range history {
		b, err := json.Marshal(e)
		require.NoError(tb, err)
		out[i] = b
	}
	return out
}

func (r record) size() (n, bytes int) {
	for _, session := range r {
		n += len(session)
		for _, b := range session {
			bytes += len(b)
		}
	}
	return n, bytes
}

// parallel works on all sessions with as many goroutines as there are processors.
func (r record) parallel(tb testing.TB, work func(session [][]byte) error) {
	tb.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make(chan error, 2)
	for range 2 {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(r)); i = next.Add(1) - 1 {
				if err := work(r[i]); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	require.NoError(tb, <-errs)
}

// parsed is the yardstick: the same bytes through json.Unmarshal once.
func parsed(session [][]byte) error {
	for _, b := range session {
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
	}
	return nil
}

// read turns stored bytes into a decoded history.
func read(registry *events.Registry, session [][]byte) ([]events.Event, error) {
	history := make([]events.Event, len(session))
	for i, b := range session {
		if err := history[i].UnmarshalJSON(b); err != nil {
			return nil, err
		}
		history[i].Seq = uint64(i + 1)
		registry.Decode(&history[i])
	}
	return history, nil
}

func verified(session [][]byte) error {
	history, err := read(events.Catalogue(), session)
	if err != nil {
		return err
	}
	_, err = replay.Verify(history, replay.Deciders()...)
	return err
}

func rebuilt(session [][]byte) error {
	history, err := read(events.Catalogue(), session)
	if err != nil {
		return err
	}
	set := projections.NewSet()
	for i := range history {
		set.Apply(&history[i])
	}
	return nil
}

func took(work func()) time.Duration {
	began := time.Now()
	work()
	return time.Since(began)
}

func BenchmarkVerifyManySessions(b *testing.B)  { benchmarkAgainstParsing(b, verified) }
func BenchmarkRebuildManySessions(b *testing.B) { benchmarkAgainstParsing(b, rebuilt) }

// benchmarkAgainstParsing reports how many times longer the work takes than
// one pass of json.Unmarshal over the same bytes.
func benchmarkAgainstParsing(b *testing.B, work func([][]byte) error) {
	r := truthfulRecord(b, recordSessions)
	n, bytes := r.size()
	var yardstick, worked time.Duration
	for b.Loop() {
		yardstick += took(func() { r.parallel(b, parsed) })
		worked += took(func() { r.parallel(b, work) })
	}
	b.ReportMetric(float64(worked)/float64(yardstick), "x-of-parsing")
	b.ReportMetric(float64(n)*float64(b.N)/worked.Seconds(), "events/s")
	b.ReportMetric(float64(n)/float64(len(r)), "events/session")
	b.ReportMetric(float64(bytes)/float64(n), "bytes/event")
}

// BenchmarkVerifyLongSession shows that twice the events take about twice the
// time. It compares the fastest runs, which other work on the machine disturbs least.
func BenchmarkVerifyLongSession(b *testing.B) {
	half := wireOf(b, play(1, longScript(2)))
	whole := wireOf(b, play(1, longScript(4)))
	fastest := func(best *time.Duration, session [][]byte) {
		if d := took(func() { require.NoError(b, verified(session)) }); *best == 0 || d < *best {
			*best = d
		}
	}
	var short, long time.Duration
	for b.Loop() {
		fastest(&short, half)
		fastest(&long, whole)
	}
	b.ReportMetric(float64(len(whole)), "events")
	b.ReportMetric(float64(len(whole))/float64(len(half)), "x-events")
	b.ReportMetric(float64(long)/float64(short), "x-time")
	b.ReportMetric(float64(len(whole))/long.Seconds(), "events/s")
}

// longScript is a session of many short tickets.
func longScript(tracks int) script {
	s := benchScript(tracks, 131, 4)
	s.padding = 200
	return s
}
