package projections_test

import (
	"encoding/json"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/sessiongen"
)

// session is one made-up session as its stored bytes.
type session [][]byte

func madeUp(b testing.TB, sessions, length int) []session {
	b.Helper()
	out := make([]session, sessions)
	for i := range out {
		for _, e := range sessiongen.GenerateSession(uint64(i), length) {
			raw, err := json.Marshal(e)
			require.NoError(b, err)
			out[i] = append(out[i], raw)
		}
	}
	return out
}

// overSessions runs f for every session, one goroutine a processor, and
// returns how long all of them took.
func overSessions(all []session, f func(session)) time.Duration {
	begun := time.Now()
	work := make(chan session, len(all))
	for _, s := range all {
		work <- s
	}
	close(work)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for s := range work {
				f(s)
			}
		})
	}
	group.Wait()
	return time.Since(begun)
}

func parse(b testing.TB, s session) []events.Event {
	out := make([]events.Event, len(s))
	for i, raw := range s {
		if err := json.Unmarshal(raw, &out[i]); err != nil {
			b.Error(err)
		}
		out[i].Seq = uint64(i + 1)
	}
	return out
}

func refold(b testing.TB, registry *events.Registry, s session) *projections.Set {
	set := projections.NewSet()
	for i, raw := range s {
		var e events.Event
		if err := e.UnmarshalJSON(raw); err != nil {
			b.Error(err)
		}
		e.Seq = uint64(i + 1)
		registry.Decode(&e)
		set.Apply(&e)
	}
	return set
}

// BenchmarkRefold rebuilds every read model of 1,250 sessions from stored
// bytes: envelope, payload, all folds. The metric x-unmarshal is its time over
// that of a plain json.Unmarshal of the same bytes, measured in the same run.
func BenchmarkRefold(b *testing.B) {
	all := madeUp(b, 1250, 80)
	registry := events.Catalogue()
	var plain, full, digests time.Duration
	for b.Loop() {
		plain += overSessions(all, func(s session) { parse(b, s) })
		full += overSessions(all, func(s session) { refold(b, registry, s) })
		digests += overSessions(all, func(s session) { refold(b, registry, s).Sum() })
	}
	b.ReportMetric(float64(full)/float64(plain), "x-unmarshal")
	b.ReportMetric(float64(digests)/float64(plain), "x-unmarshal-with-digests")
	b.ReportMetric(float64(full.Nanoseconds())/float64(b.N*1250*80), "ns/event")
}

// BenchmarkApply folds decoded events only.
func BenchmarkApply(b *testing.B) {
	for _, length := range []int{80, 2_000, 20_000} {
		b.Run("events="+itoa(length), func(b *testing.B) {
			log := decoded(b, sessiongen.GenerateSession(1, length))
			b.ReportAllocs()
			for b.Loop() {
				set := projections.NewSet()
				for i := range log {
					set.Apply(&log[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*length), "ns/event")
		})
	}
}
